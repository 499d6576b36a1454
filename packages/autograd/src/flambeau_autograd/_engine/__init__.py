"""The compiled half: nodes, what they save, recording, the engine, custom Functions, grad modes. Private."""
