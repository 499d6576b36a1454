"""The shared object of the compiled modules: importing it lets them be found."""
