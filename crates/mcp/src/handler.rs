//! The server's side of a conversation, for every revision of the protocol.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, ErrorData, Implementation, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ResourceUpdatedNotificationParam,
    ServerCapabilities, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{MaybeSendFuture, RequestContext, SubscriptionContext};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use wire::ToolInfo;

use crate::resource::{self, Address};
use crate::subscription::{self, Subscriptions};
use crate::{Error, Host, Place, params, progress, tool};

/// The revisions of the protocol that are spoken, of those that its library knows.
pub(crate) const REVISIONS: &[ProtocolVersion] = &[
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

/// How many pieces of output wait to be told about; further ones are left out, since the reply has them all.
const LIVE_MAX: usize = 64;

/// One conversation with one client.
pub struct Handler<H> {
    host: Arc<H>,
    version: String,
    subscriptions: Subscriptions,
    /// Cancelled when nobody is told of changes any more.
    ending: CancellationToken,
}

impl<H: Host> Handler<H> {
    /// `version` is what the client is told.
    pub fn new(host: Arc<H>, version: impl Into<String>) -> Self {
        Self {
            host,
            version: version.into(),
            subscriptions: Subscriptions::default(),
            ending: CancellationToken::new(),
        }
    }

    /// The same, but that nobody is told of changes any more once `ending` is cancelled.
    pub(crate) fn ending_with(self, ending: CancellationToken) -> Self {
        Self { ending, ..self }
    }

    /// Ends what would otherwise go on until the client has had enough.
    pub(crate) fn ending(&self) -> CancellationToken {
        self.ending.clone()
    }

    /// The installed tools, if the client wants them.
    async fn installed(&self, context: &RequestContext<RoleServer>) -> Result<Vec<ToolInfo>, ErrorData> {
        if !self.host.lists_tools(context.extensions.get::<http::request::Parts>()) {
            return Ok(Vec::new());
        }
        self.host.tools(&self.agent(context)).await.map_err(internal)
    }

    fn agent(&self, context: &RequestContext<RoleServer>) -> String {
        self.host.agent(context.extensions.get::<http::request::Parts>())
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = match request.name.as_ref() {
            tool::NAME => tool::parse(request.arguments),
            name if self.installed(&context).await?.iter().any(|tool| tool.name == name) => {
                Ok(tool::call_of(name, request.arguments))
            }
            name => return Err(no_tool(name)),
        };
        let call = match call.and_then(tool::check_length) {
            Ok(call) => call,
            Err(wrong) => return Ok(tool::result(&wrong).into()),
        };
        let agent = self.agent(&context);
        let (sender, mut live) = mpsc::channel(LIVE_MAX);
        let token = context.meta.get_progress_token();
        if token.is_none() {
            // Nobody asked for it, and whoever runs the command shall know that before it begins.
            live.close();
        }
        let report = progress::report(context.peer.clone(), token, live, &context.ct);
        let place = context.extensions.get::<Place>().copied().unwrap_or_default();
        let outcome = tokio::select! {
            outcome = self.host.run(&agent, call, sender, context.ct.clone(), place) => outcome,
            never = report => match never {},
        };
        Ok(tool::result(&outcome).into())
    }

    async fn tell_changes(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let agent = self.agent(context.request_context());
        let listen = subscription::listen(&*self.host, &agent, &context);
        self.ending.run_until_cancelled(listen).await.unwrap_or(Ok(())).map_err(internal)
    }
}

/// What takes much room is boxed: the task of a request, whatever it asks for, has room for the largest of them, and is
/// copied several times before it runs.
impl<H: Host> ServerHandler for Handler<H> {
    fn get_info(&self) -> InitializeResult {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .build();
        let name = Implementation::new("string", &self.version).with_title("String");
        InitializeResult::new(capabilities).with_server_info(name)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(REVISIONS)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        check_only_page(request)?;
        let installed = self.installed(&context).await?;
        let (hidden, others): (Vec<_>, Vec<_>) =
            installed.into_iter().partition(|tool| tool.name == tool::NAME);
        let own = if hidden.is_empty() { tool::definition() } else { tool::definition_in_place_of_another() };
        let others = others.into_iter().map(tool::installed);
        Ok(ListToolsResult::with_all_items([own].into_iter().chain(others).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        (name == tool::NAME).then(tool::definition)
    }

    fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CallToolResponse, ErrorData>> + MaybeSendFuture {
        Box::pin(self.call(request, context))
    }

    /// There are no prompts, and none are promised.
    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(params::no_method("prompts/list"))
    }

    /// Nor is anything completed.
    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(params::no_method("completion/complete"))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        check_only_page(request)?;
        Ok(ListResourceTemplatesResult::with_all_items(resource::templates()))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let agent = self.agent(&context);
        let listed = resource::list(&*self.host, &agent, cursor.as_deref()).await.map_err(internal)?;
        listed.ok_or_else(|| no_page(&cursor.unwrap_or_default()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read =
            resource::read(&*self.host, &self.agent(&context), &request.uri).await.map_err(internal)?;
        let found = read.ok_or_else(|| unknown(&request.uri))?;
        Ok(found.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if Address::parse(&request.uri).is_none() {
            return Err(unknown(&request.uri));
        }
        let agent = self.agent(&context);
        let tell = move |uri| {
            let peer = context.peer.clone();
            async move { peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await }
        };
        self.subscriptions.add(request.uri, self.host.changes(&agent), tell).await.map_err(internal)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri).await;
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.iter().flatten();
        let known = uris.filter(|uri| Address::parse(uri).is_some()).cloned();
        Some(SubscriptionFilter::builder().resource_subscriptions(known).build())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(params::refusal(request, &context.meta))
    }

    fn listen(
        &self,
        context: SubscriptionContext,
    ) -> impl Future<Output = Result<(), ErrorData>> + MaybeSendFuture {
        Box::pin(self.tell_changes(context))
    }
}

fn no_tool(name: &str) -> ErrorData {
    let message = format!("There is no tool {name:?}; the one there always is is called string.");
    ErrorData::invalid_params(message, None)
}

/// Of a list that is always whole: nobody was given a cursor.
fn check_only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        Some(cursor) => Err(no_page(&cursor)),
        None => Ok(()),
    }
}

fn no_page(cursor: &str) -> ErrorData {
    ErrorData::invalid_params(format!("There is no page behind the cursor {cursor:?}."), None)
}

fn unknown(uri: &str) -> ErrorData {
    let data = serde_json::json!({ "uri": uri });
    ErrorData::resource_not_found(format!("There is no resource {uri}."), Some(data))
}

fn internal(error: Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
