//! Syntax that the transpiler would pass on or lower wrongly, refused with its place.

use oxc::ast::ast::{
    AccessorProperty, Decorator, ImportExpression, Program, TSExportAssignment, TSImportEqualsDeclaration,
    TSModuleReference, TSNamespaceExportDeclaration,
};
use oxc::ast_visit::{Visit, walk};
use oxc::span::Span;

pub(super) struct Refusal {
    pub(super) at: Span,
    pub(super) what: &'static str,
}

/// The first piece of unsupported syntax.
pub(super) fn refused(program: &Program<'_>) -> Option<Refusal> {
    let mut finder = Finder::default();
    finder.visit_program(program);
    finder.found.into_iter().min_by_key(|refusal| refusal.at.start)
}

#[derive(Default)]
struct Finder {
    found: Vec<Refusal>,
}

impl Finder {
    fn refuse(&mut self, at: Span, what: &'static str) {
        self.found.push(Refusal { at, what });
    }
}

impl<'a> Visit<'a> for Finder {
    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.refuse(it.span, "decorators are not supported");
        walk::walk_decorator(self, it);
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        self.refuse(it.span, "accessor fields are not supported");
        walk::walk_accessor_property(self, it);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        self.refuse(it.span, "import() is not supported: import at the top of the module");
        walk::walk_import_expression(self, it);
    }

    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.refuse(it.span, "export = is not supported: use export default");
        walk::walk_ts_export_assignment(self, it);
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        // `import Alias = Namespace.Name` is another thing, and works.
        if matches!(it.module_reference, TSModuleReference::ExternalModuleReference(_)) {
            self.refuse(it.span, "import = require() is not supported: use import … from");
        }
        walk::walk_ts_import_equals_declaration(self, it);
    }

    fn visit_ts_namespace_export_declaration(&mut self, it: &TSNamespaceExportDeclaration<'a>) {
        self.refuse(it.span, "export as namespace is not supported");
        walk::walk_ts_namespace_export_declaration(self, it);
    }
}
