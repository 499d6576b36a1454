"""The compiled half: nodes, saved values, recording, the engine, custom Functions, grad modes. Private."""
