import {
  makeAdminApiWithParts,
  makeApiWithParts,
  servedAccountApi,
  servedAccountDataApi,
  servedAdminAccountDataApi,
  servedAdministrationApi,
  servedAgentApi,
  servedApi,
  servedBackupsApi,
  servedLinksApi,
  servedOpenIdApi,
  servedToolsApi,
  servedWebhooksApi,
  withOpenApiDocument
} from "@tapeline/api"
import { AccountData, Analyst, DatabaseBackups, ProviderSignIn, Sessions, Toolbox, Webhooks } from "@tapeline/core"
import { Context, Effect, Layer, Option, Record } from "effect"
import { HttpRouter, UrlParams } from "effect/http"
import { type HttpApi, HttpApiBuilder, type HttpApiGroup, OpenApi } from "effect/http-api"
import { layerAdminAuthorization, layerKeyAuthorization, layerSessionAuthorization } from "./authorization.ts"
import { prepareCachedResponse } from "./cachedResponse.ts"
import { SessionCookies } from "./callers/cookies.ts"
import { RequestAuthenticator } from "./callers/RequestAuthenticator.ts"
import { ReverseProxySettings } from "./callers/ReverseProxySettings.ts"
import { adminAreaPath, consoleRoutes, layerConsole } from "./console/layerConsole.ts"
import { layerAccount } from "./handlers/account.ts"
import { layerAccountData, layerAdminAccountData } from "./handlers/accountData.ts"
import { layerAccountKeys } from "./handlers/accountKeys.ts"
import { layerAdmin, layerLinks } from "./handlers/admin.ts"
import { layerAdminCredits } from "./handlers/adminCredits.ts"
import { layerAdminKeys } from "./handlers/adminKeys.ts"
import { layerAdminTokens } from "./handlers/adminTokens.ts"
import { layerAdminWork } from "./handlers/adminWork.ts"
import { layerAgentHandlers } from "./handlers/agent.ts"
import { layerBackups } from "./handlers/backups.ts"
import { layerCharts } from "./handlers/charts.ts"
import { layerConversations } from "./handlers/conversations.ts"
import {
  adminDocumentationRoutes,
  documentationRoutes,
  layerDocument,
  layerDocumentation
} from "./handlers/documentation.ts"
import { layerMeta } from "./handlers/meta.ts"
import { layerNotifications } from "./handlers/notifications.ts"
import { layerOpenId } from "./handlers/openId.ts"
import { layerPublic } from "./handlers/public.ts"
import { layerSessions } from "./handlers/sessions.ts"
import { layerTools } from "./handlers/tools.ts"
import { layerUsageReport } from "./handlers/usageReport.ts"
import { layerWebhookHandlers } from "./handlers/webhooks.ts"
import { documentationSiteRoutes, layerDocumentationSite } from "./layerDocumentationSite.ts"
import { layerMcp, mcpRoute } from "./mcp/layerMcp.ts"
import { layerCommonErrors, layerRejectMalformedPath, layerRejectUnknownQuery } from "./queryParameters.ts"
import { exactPaths, layerRequestMiddleware, routesOf } from "./requestMiddleware.ts"
import type { StaticFile } from "./staticFiles.ts"
import { EventStreams } from "./streaming/EventStreams.ts"

export interface HttpSettings {
  /**
   * The origins from which browsers can call the API: `*` allows all origins, and an empty list allows no cross-origin
   * calls.
   */
  readonly corsOrigins: ReadonlyArray<string>
  /** The base of absolute URLs in responses, by default the address on which the server listens. */
  readonly publicUrl?: string | undefined
  /**
   * The number of trusted proxies in front of the server; 0 by default. The server reads the client's address and
   * protocol from the headers of trusted proxies.
   */
  readonly trustedProxies?: number | undefined
  /**
   * Selects whether this server ("here", the default) or a second server with `layerAdminRoutes` ("elsewhere") serves
   * the admin API and the metrics.
   */
  readonly adminApi?: "here" | "elsewhere" | undefined
  /** The files of the console at `/app`. If undefined, the server has no path `/app` and no redirect from `/`. */
  readonly console?: ReadonlyArray<StaticFile> | undefined
  /** The files of the documentation site at `/docs/guide`. If undefined, the server has no path `/docs/guide`. */
  readonly documentationSite?: ReadonlyArray<StaticFile> | undefined
}

const layerAdminApi = HttpApiBuilder.layer(servedAdministrationApi).pipe(
  Layer.provide([layerAdmin, layerAdminKeys, layerAdminWork, layerAdminTokens, layerUsageReport, layerAdminCredits]),
  Layer.provide([layerAdminAuthorization, layerRejectUnknownQuery, layerCommonErrors])
)

const layerWebhooksApi = ({ webhooks }: OptionalAdminServices) =>
  Option.isNone(webhooks)
    ? Layer.empty
    : HttpApiBuilder.layer(servedWebhooksApi).pipe(
      Layer.provide(layerWebhookHandlers),
      Layer.provide([layerAdminAuthorization, layerRejectUnknownQuery, layerCommonErrors]),
      Layer.provide(Layer.succeed(Webhooks, webhooks.value))
    )

/** The optional services of an engine that add parts to the admin API. */
const optionalAdminServices = Effect.all({
  sessions: Effect.serviceOption(Sessions),
  accountData: Effect.serviceOption(AccountData),
  backups: Effect.serviceOption(DatabaseBackups),
  webhooks: Effect.serviceOption(Webhooks)
})
type OptionalAdminServices = Effect.Success<typeof optionalAdminServices>

const adminRoutes = ({ accountData, backups, sessions, webhooks }: OptionalAdminServices) => [
  ...routesOf(servedAdministrationApi),
  ...(Option.isSome(accountData) ? routesOf(servedAdminAccountDataApi) : []),
  ...(Option.isSome(backups) ? routesOf(servedBackupsApi) : []),
  ...(Option.isSome(webhooks) ? routesOf(servedWebhooksApi) : []),
  ...(Option.isSome(sessions) ? routesOf(servedLinksApi) : [])
]

const layerSignInLinks = (sessions: Option.Option<Sessions["Service"]>, consoleUrl: string | undefined) =>
  Option.isNone(sessions)
    ? Layer.empty
    : HttpApiBuilder.layer(servedLinksApi).pipe(
      Layer.provide(layerLinks(consoleUrl)),
      Layer.provide([layerAdminAuthorization, layerRejectUnknownQuery, layerCommonErrors]),
      Layer.provide(Layer.succeed(Sessions, sessions.value))
    )

const layerAdminAccountDataApi = ({ accountData }: OptionalAdminServices) =>
  Option.isNone(accountData)
    ? Layer.empty
    : HttpApiBuilder.layer(servedAdminAccountDataApi).pipe(
      Layer.provide(layerAdminAccountData),
      Layer.provide([layerAdminAuthorization, layerRejectUnknownQuery, layerCommonErrors]),
      Layer.provide(Layer.succeed(AccountData, accountData.value))
    )

const layerBackupsApi = ({ backups }: OptionalAdminServices) =>
  Option.isNone(backups)
    ? Layer.empty
    : HttpApiBuilder.layer(servedBackupsApi).pipe(
      Layer.provide(layerBackups),
      Layer.provide([layerAdminAuthorization, layerRejectUnknownQuery, layerCommonErrors]),
      Layer.provide(Layer.succeed(DatabaseBackups, backups.value))
    )

const layerAccountDataApi = ({ accountData, sessions }: OptionalAdminServices) =>
  Option.isNone(accountData) || Option.isNone(sessions)
    ? Layer.empty
    : HttpApiBuilder.layer(servedAccountDataApi).pipe(
      Layer.provide(layerAccountData),
      Layer.provide([layerSessionAuthorization, layerRejectUnknownQuery, layerCommonErrors]),
      Layer.provide(Layer.succeed(AccountData, accountData.value))
    )

const makeDocument = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  publicUrl: string | undefined
) => {
  const document = OpenApi.fromApi(withOpenApiDocument(api))
  return Effect.map(
    prepareCachedResponse(JSON.stringify(document)),
    (cached) => ({ document: cached, page: layerDocumentation(document.info.title, publicUrl) })
  )
}

const layerAgentApi = (publicUrl: string | undefined) =>
  HttpApiBuilder.layer(servedAgentApi).pipe(
    Layer.provide([layerAgentHandlers(publicUrl), layerConversations]),
    Layer.provide(EventStreams.layer),
    Layer.provide([layerKeyAuthorization, layerRejectMalformedPath, layerRejectUnknownQuery, layerCommonErrors])
  )

type OptionalProvider = Option.Option<ProviderSignIn["Service"]>

const layerAccountApi = (sessions: Option.Option<Sessions["Service"]>, provider: OptionalProvider) =>
  Option.isNone(sessions)
    ? Layer.empty
    : HttpApiBuilder.layer(servedAccountApi).pipe(
      Layer.provide([
        layerAccount(
          Option.getOrNull(Option.map(provider, ({ beginUrl, label }) => ({ label, url: beginUrl })))
        ),
        layerAccountKeys,
        layerSessions
      ]),
      Layer.provide([layerSessionAuthorization, layerRejectUnknownQuery, layerCommonErrors]),
      Layer.provide(Layer.succeed(Sessions, sessions.value))
    )

const layerOpenIdApi = (provider: OptionalProvider) =>
  Option.isNone(provider)
    ? Layer.empty
    : HttpApiBuilder.layer(servedOpenIdApi).pipe(
      Layer.provide(layerOpenId),
      Layer.provide([layerRejectUnknownQuery, layerCommonErrors]),
      Layer.provide(Layer.succeed(ProviderSignIn, provider.value))
    )

const layerCallerAuthentication = ({ trustedProxies = 0, publicUrl }: HttpSettings) =>
  RequestAuthenticator.layer.pipe(
    Layer.provideMerge(SessionCookies.layer),
    Layer.provideMerge(Layer.succeed(ReverseProxySettings, { publicUrl, trustedProxies }))
  )

/**
 * The HTTP routes of the service, which `serve` serves. The routes of the analyst, of sessions, of OpenID sign-in and
 * of webhooks exist only if the services `Analyst`, `Sessions`, `ProviderSignIn` and `Webhooks` exist.
 */
export const layerRoutes = (settings: HttpSettings) =>
  Layer.unwrap(Effect.gen(function*() {
    const { adminApi = "here", console: files, documentationSite: site, publicUrl } = settings
    const servesAdminApi = adminApi === "here"
    const analyst = yield* Effect.serviceOption(Analyst)
    const optionalServices = yield* optionalAdminServices
    const { accountData, backups, sessions, webhooks } = optionalServices
    const specifications = (yield* Toolbox).tools.map((tool) => tool.specification)
    const provider = yield* Effect.serviceOption(ProviderSignIn)
    const parts = {
      analyst: Option.isSome(analyst),
      administration: servesAdminApi,
      sessions: Option.isSome(sessions),
      accountData: Option.isSome(accountData),
      backups: Option.isSome(backups),
      openId: Option.isSome(provider),
      webhooks: Option.isSome(webhooks)
    }
    const { document, page } = yield* makeDocument(makeApiWithParts(specifications, parts, publicUrl), publicUrl)
    const routes = [
      ...routesOf(servedApi),
      ...routesOf(servedToolsApi),
      ...(Option.isSome(analyst) ? routesOf(servedAgentApi) : []),
      ...(Option.isSome(sessions) ? routesOf(servedAccountApi) : []),
      ...(Option.isSome(sessions) && Option.isSome(accountData) ? routesOf(servedAccountDataApi) : []),
      ...(Option.isSome(provider) ? routesOf(servedOpenIdApi) : []),
      ...documentationRoutes,
      mcpRoute,
      ...(files === undefined ? [] : consoleRoutes),
      ...(site === undefined ? [] : documentationSiteRoutes),
      ...(servesAdminApi ? adminRoutes(optionalServices) : [])
    ]
    return Layer.mergeAll(
      HttpApiBuilder.layer(servedApi).pipe(
        Layer.provide([layerMeta, layerCharts, layerNotifications, layerPublic(document)]),
        Layer.provide(EventStreams.layer),
        Layer.provide([layerKeyAuthorization, layerRejectUnknownQuery, layerCommonErrors])
      ),
      layerTools(publicUrl),
      layerMcp(publicUrl),
      Option.isSome(analyst)
        ? Layer.provide(layerAgentApi(publicUrl), Layer.succeed(Analyst, analyst.value))
        : Layer.empty,
      layerAccountApi(sessions, provider),
      layerAccountDataApi(optionalServices),
      layerOpenIdApi(provider),
      servesAdminApi
        ? Layer.mergeAll(
          layerAdminApi,
          layerAdminAccountDataApi(optionalServices),
          layerBackupsApi(optionalServices),
          layerSignInLinks(sessions, publicUrl),
          layerWebhooksApi(optionalServices)
        )
        : Layer.empty,
      page,
      files === undefined ? Layer.empty : layerConsole(files),
      site === undefined ? Layer.empty : layerDocumentationSite(site),
      layerRequestMiddleware(routes, settings)
    ).pipe(Layer.provide(layerCallerAuthentication(settings)))
  }))

/**
 * The base URL of sign-in links, without a trailing slash; if undefined, sign-in links begin with the `Host` of the
 * admin request.
 */
export const ConsoleAddress = Context.Reference<string | undefined>("@tapeline/http/ConsoleAddress", {
  defaultValue: () => undefined
})

/** The files of the console for the admin area on a separate admin server. If undefined, the server has no `/app`. */
export const AdminConsole = Context.Reference<ReadonlyArray<StaticFile> | undefined>("@tapeline/http/AdminConsole", {
  defaultValue: () => undefined
})

/**
 * The routes of the admin API, its documentation, the metrics and the admin area of the console, for a separate server
 * that `serve` starts.
 */
export const layerAdminRoutes = Layer.unwrap(Effect.gen(function*() {
  const optionalServices = yield* optionalAdminServices
  const files = yield* AdminConsole
  const { document, page } = yield* makeDocument(
    makeAdminApiWithParts(Record.map(optionalServices, (service) => Option.isSome<unknown>(service))),
    undefined
  )
  const routes = [
    ...adminRoutes(optionalServices),
    ...adminDocumentationRoutes,
    ...(files === undefined ? [] : consoleRoutes)
  ]
  return Layer.mergeAll(
    layerAdminApi,
    layerAdminAccountDataApi(optionalServices),
    layerBackupsApi(optionalServices),
    layerSignInLinks(optionalServices.sessions, yield* ConsoleAddress),
    layerWebhooksApi(optionalServices),
    layerDocument(document),
    page,
    files === undefined ? Layer.empty : layerConsole(files, adminAreaPath),
    layerRequestMiddleware(routes, { corsOrigins: [] })
  )
}))

/**
 * Removes the query parameters of an OpenID provider's redirect from traces. With the redirect's parameters, a reader
 * of the trace could sign in.
 */
const layerRedactedQueryNames = Layer.succeed(UrlParams.CurrentRedactedNames, [
  ...UrlParams.CurrentRedactedNames.defaultValue(),
  "code",
  "state"
])

/** Serves routes over HTTP, for requests whose path matches a route exactly. */
export const serve = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  HttpRouter.serve(routes, {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: exactPaths
  }).pipe(Layer.provide(layerRedactedQueryNames))
