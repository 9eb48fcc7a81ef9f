// The Python bindings: the only files that know about Python. They check sizes once, release the GIL, and turn results
// into arrays; they contain no algorithm.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_constrained(nb::module_& m);
void bind_diagram(nb::module_& m);
void bind_diagram_search(nb::module_& m);
void bind_dl85(nb::module_& m);
void bind_leaf_limits(nb::module_& m);
void bind_leaves(nb::module_& m);
void bind_oblique(nb::module_& m);
void bind_path_search(nb::module_& m);
void bind_paths(nb::module_& m);
void bind_predict(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_search(nb::module_& m);

NB_MODULE(_native, m) {
    m.doc() = "Native kernel: ranking, exact search, and prediction.";
    bind_predict(m);
    bind_rows(m);
    bind_search(m);
    bind_constrained(m);
    bind_path_search(m);
    bind_dl85(m);
    bind_diagram(m);
    bind_diagram_search(m);
    bind_leaves(m);
    bind_leaf_limits(m);
    bind_oblique(m);
    bind_paths(m);
}
