/* A button on each listing that copies it: from sessions of Python or a shell only what was typed. */
document.addEventListener("DOMContentLoaded", () => {
  const typed = (text) => {
    const lines = text.replace(/\n$/, "").split("\n");
    const prompts = [">>> ", "$ "].filter((prompt) => lines.some((line) => line.startsWith(prompt)));
    if (!prompts.length) return text;
    const out = [];
    let goesOn = false; /* a shell's line that ended with a backslash */
    for (const line of lines) {
      const prompt = prompts.find((p) => line.startsWith(p));
      if (prompt) out.push(line.slice(prompt.length));
      else if (line.startsWith("... ") || line === "...") out.push(line.slice(4));
      else if (goesOn) out.push(line);
      goesOn = (prompt === "$ " || goesOn) && line.endsWith("\\");
    }
    return out.join("\n");
  };
  for (const pre of document.querySelectorAll("div.highlight > pre")) {
    const block = pre.closest("[class*=highlight-]");
    if (block && (block.classList.contains("highlight-text") || block.classList.contains("highlight-none"))) continue;
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "copy";
    button.setAttribute("aria-label", "Copy this listing");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(typed(pre.textContent));
      button.textContent = "copied";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
    pre.parentElement.append(button);
  }
});
