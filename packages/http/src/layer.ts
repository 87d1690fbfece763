import {
  documented,
  makeApiOf,
  servedAccountApi,
  servedAdministrationApi,
  servedAgentApi,
  servedApi,
  servedLinksApi,
  servedOpenIdApi,
  servedToolsApi
} from "@tapeline/api"
import { Analyst, ProviderSignIn, Sessions, Toolbox } from "@tapeline/core"
import { Context, Effect, Layer, Option } from "effect"
import { HttpRouter, UrlParams } from "effect/http"
import { type HttpApi, HttpApiBuilder, type HttpApiGroup, OpenApi } from "effect/http-api"
import { layerAdminAuthorization, layerKeyAuthorization, layerSessionAuthorization } from "./authorization.ts"
import { Approach } from "./callers/Approach.ts"
import { SessionCookies } from "./callers/cookies.ts"
import { WhoCalls } from "./callers/WhoCalls.ts"
import type { ConsoleFile } from "./console/ConsoleFile.ts"
import { consoleRoutes, layerConsole } from "./console/layerConsole.ts"
import { exactPaths, layerEdge, routesOf } from "./edge.ts"
import { layerAccount } from "./handlers/account.ts"
import { layerAccountKeys } from "./handlers/accountKeys.ts"
import { layerAdmin } from "./handlers/admin.ts"
import { layerAgentHandlers } from "./handlers/agent.ts"
import { layerCharts } from "./handlers/charts.ts"
import { layerConversations } from "./handlers/conversations.ts"
import { documentationRoutes, layerDocumentation } from "./handlers/documentation.ts"
import { layerLinks } from "./handlers/links.ts"
import { layerMeta } from "./handlers/meta.ts"
import { layerNotifications } from "./handlers/notifications.ts"
import { layerOpenId } from "./handlers/openId.ts"
import { layerPublic } from "./handlers/public.ts"
import { layerSessions } from "./handlers/sessions.ts"
import { layerTools } from "./handlers/tools.ts"
import { keep } from "./kept.ts"
import { layerAnyRequest, layerKnownAddress, layerKnownQuery } from "./knownQuery.ts"
import { layerMcp, mcpRoute } from "./mcp/layerMcp.ts"
import { Streams } from "./streaming/Streams.ts"

/** Settings of the HTTP adapter. */
export interface HttpSettings {
  /** Origins that browsers may call from, `*` for any; none means no cross-origin calls. */
  readonly corsOrigins: ReadonlyArray<string>
  /** The base of absolute addresses; when left out, the address on which the server listens. */
  readonly publicUrl?: string | undefined
  /**
   * So many proxies stand before the server, none when left out: what they note of whom they were asked by, and how, is
   * believed.
   */
  readonly proxies?: number | undefined
  /**
   * Where administration and metrics are answered: beside the callers' routes, as when this is left out, or elsewhere,
   * by a second server with `layerAdministrationRoutes`. Then these routes know nothing of them.
   */
  readonly administration?: "here" | "elsewhere" | undefined
  /** The built console, served at `/app`, to which `/` leads; nothing is there when it is left out. */
  readonly console?: ReadonlyArray<ConsoleFile> | undefined
}

const administration = HttpApiBuilder.layer(servedAdministrationApi).pipe(
  Layer.provide(layerAdmin),
  Layer.provide([layerAdminAuthorization, layerKnownQuery, layerAnyRequest])
)

const administrationRoutes = (sessions: Option.Option<Sessions["Service"]>) => [
  ...routesOf(servedAdministrationApi),
  ...(Option.isSome(sessions) ? routesOf(servedLinksApi) : [])
]

/** Links that sign people in, where the engine knows sessions; `consoleUrl` is the base of where they lead. */
const links = (sessions: Option.Option<Sessions["Service"]>, consoleUrl: string | undefined) =>
  Option.isNone(sessions)
    ? Layer.empty
    : HttpApiBuilder.layer(servedLinksApi).pipe(
      Layer.provide(layerLinks(consoleUrl)),
      Layer.provide([layerAdminAuthorization, layerKnownQuery, layerAnyRequest]),
      Layer.provide(Layer.succeed(Sessions, sessions.value))
    )

/** An API's document, and the page that shows it. */
const describe = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  publicUrl: string | undefined
) => {
  const document = OpenApi.fromApi(documented(api))
  return Effect.map(
    keep(JSON.stringify(document)),
    (kept) => ({ document: kept, page: layerDocumentation(document.info.title, publicUrl) })
  )
}

/** The analyst's routes, which follow answers for any number of readers. */
const agent = (publicUrl: string | undefined) =>
  HttpApiBuilder.layer(servedAgentApi).pipe(
    Layer.provide([layerAgentHandlers(publicUrl), layerConversations]),
    Layer.provide(Streams.layer),
    Layer.provide([layerKeyAuthorization, layerKnownAddress, layerKnownQuery, layerAnyRequest])
  )

type Provider = Option.Option<ProviderSignIn["Service"]>

/** What a session alone opens, where the engine knows sessions. */
const account = (sessions: Option.Option<Sessions["Service"]>, provider: Provider) =>
  Option.isNone(sessions)
    ? Layer.empty
    : HttpApiBuilder.layer(servedAccountApi).pipe(
      Layer.provide([
        layerAccount(
          Option.getOrNull(Option.map(provider, ({ beginsAt, label }) => ({ label, url: beginsAt })))
        ),
        layerAccountKeys,
        layerSessions
      ]),
      Layer.provide([layerSessionAuthorization, layerKnownQuery, layerAnyRequest]),
      Layer.provide(Layer.succeed(Sessions, sessions.value))
    )

/** People who sign in by a provider, where there is one. */
const openId = (provider: Provider) =>
  Option.isNone(provider)
    ? Layer.empty
    : HttpApiBuilder.layer(servedOpenIdApi).pipe(
      Layer.provide(layerOpenId),
      Layer.provide([layerKnownQuery, layerAnyRequest]),
      Layer.provide(Layer.succeed(ProviderSignIn, provider.value))
    )

/** How callers are known, by how their requests come here. */
const layerCallers = ({ proxies = 0, publicUrl }: HttpSettings) =>
  WhoCalls.layer.pipe(
    Layer.provideMerge(SessionCookies.layer),
    Layer.provideMerge(Layer.succeed(Approach, { publicUrl, proxies }))
  )

/**
 * The routes of the service, for the tools of the toolbox at hand, for the analyst where an `Analyst` is at hand, and
 * for people who sign in where `Sessions` are, by a provider too where a `ProviderSignIn` is: without one they, and the
 * document, know nothing of it. Serve them with `serve`.
 */
export const layerRoutes = (settings: HttpSettings) =>
  Layer.unwrap(Effect.gen(function*() {
    const { administration: where = "here", console: files, publicUrl } = settings
    const isHere = where === "here"
    const analyst = yield* Effect.serviceOption(Analyst)
    const sessions = yield* Effect.serviceOption(Sessions)
    const specifications = (yield* Toolbox).tools.map((tool) => tool.specification)
    const provider = yield* Effect.serviceOption(ProviderSignIn)
    const parts = {
      analyst: Option.isSome(analyst),
      administration: isHere,
      sessions: Option.isSome(sessions),
      openId: Option.isSome(provider)
    }
    const { document, page } = yield* describe(makeApiOf(specifications, parts, publicUrl), publicUrl)
    const routes = [
      ...routesOf(servedApi),
      ...routesOf(servedToolsApi),
      ...(Option.isSome(analyst) ? routesOf(servedAgentApi) : []),
      ...(Option.isSome(sessions) ? routesOf(servedAccountApi) : []),
      ...(Option.isSome(provider) ? routesOf(servedOpenIdApi) : []),
      ...documentationRoutes,
      mcpRoute,
      ...(files === undefined ? [] : consoleRoutes),
      ...(isHere ? administrationRoutes(sessions) : [])
    ]
    return Layer.mergeAll(
      HttpApiBuilder.layer(servedApi).pipe(
        Layer.provide([layerMeta, layerCharts, layerNotifications, layerPublic(document)]),
        Layer.provide(Streams.layer),
        Layer.provide([layerKeyAuthorization, layerKnownQuery, layerAnyRequest])
      ),
      layerTools(publicUrl),
      layerMcp(publicUrl),
      Option.isSome(analyst) ? Layer.provide(agent(publicUrl), Layer.succeed(Analyst, analyst.value)) : Layer.empty,
      account(sessions, provider),
      openId(provider),
      isHere ? Layer.merge(administration, links(sessions, publicUrl)) : Layer.empty,
      page,
      files === undefined ? Layer.empty : layerConsole(files),
      layerEdge(routes, settings)
    ).pipe(Layer.provide(layerCallers(settings)))
  }))

/**
 * Where people reach the console, without a slash at its end, for an administration with an address of its own: links
 * lead there. Left alone, they lead to where the administration was asked for them.
 */
export const ConsoleAddress = Context.Reference<string | undefined>("@tapeline/http/ConsoleAddress", {
  defaultValue: () => undefined
})

/** Administration and metrics alone, for a server of their own. Serve them with `serve`. */
export const layerAdministrationRoutes = Layer.unwrap(Effect.gen(function*() {
  const sessions = yield* Effect.serviceOption(Sessions)
  return Layer.mergeAll(
    administration,
    links(sessions, yield* ConsoleAddress),
    layerEdge(administrationRoutes(sessions), { corsOrigins: [] })
  )
}))

/** What a provider leads back with lets somebody in: traces, which tell addresses, are not told it. */
const withheld = Layer.succeed(UrlParams.CurrentRedactedNames, [
  ...UrlParams.CurrentRedactedNames.defaultValue(),
  "code",
  "state"
])

/** Serves routes, whose paths are exact. */
export const serve = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  HttpRouter.serve(routes, {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: exactPaths
  }).pipe(Layer.provide(withheld))
