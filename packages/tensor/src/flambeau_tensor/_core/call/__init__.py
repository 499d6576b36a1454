"""The call path: binding of arguments, operators, and the sockets that higher packages fill."""
