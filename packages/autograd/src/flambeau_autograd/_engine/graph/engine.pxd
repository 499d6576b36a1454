"""Run a graph backward."""
from flambeau_autograd._engine.graph.node cimport Node

cdef object execute(list roots, list gradients, bint keep_graph, bint create_graph, list wanted, bint accumulate,
                    bint ends=*)
cdef object capture_one(Node node, int output_nr, object gradient, bint keep_graph, bint create_graph, Node target,
                        int target_nr)
cdef int execute_one(Node node, int output_nr, object gradient, bint keep_graph, bint create_graph) except -1
cdef bint keeps_graph() noexcept  # whether the current run of this thread, if any, keeps saved tensors
