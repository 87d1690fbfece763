import { AnyRequest, Fault, KeyAuthorization, KnownQuery } from "@tapeline/api"
import { Analyst, PublicAddress, Toolbox, ToolCaller } from "@tapeline/core"
import { followScopes } from "@tapeline/core/agent"
import type { HttpFace, Trouble } from "@tapeline/mcp"
import { type Cause, type Context, Effect, Layer, Option, Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { callBodyLimit, readCallerBody } from "../body.ts"
import { type CallerRequest, layerCallerRoute } from "../callerRoute.ts"
import { WhoCalls } from "../callers/WhoCalls.ts"
import { catalogueFor } from "../catalogue.ts"
import { Draining } from "../Draining.ts"
import type { Exchange } from "../exchange.ts"
import { idempotencyKeyOf } from "../idempotencyKey.ts"
import { countRejection } from "../measures.ts"
import { reachedAt } from "../reachedAt.ts"
import { logFault, logRefusal, refusalIn, respond } from "../refusal.ts"
import { nodeResponseOf } from "../streaming/nodeResponse.ts"
import { makeWebStreams } from "../streaming/webStream.ts"
import { type CallerOf, type Engine, engineService, refusedBy, runner } from "./engineService.ts"

/**
 * The endpoint of the bridge. It is not an operation of the API, because API callers have their own operations for all
 * its functions. It has the same middlewares as those.
 */
const endpoint = HttpApiEndpoint.post("mcp", "/mcp", { success: Schema.Unknown })
  .middleware(KnownQuery)
  .middleware(KeyAuthorization)
  .middleware(AnyRequest)

export const mcpRoute = { method: endpoint.method, path: endpoint.path }

/** Loads the protocol's library at the first MCP request: most services never receive one. */
const load = Effect.promise(() => import("@tapeline/mcp"))

type Mcp = Effect.Success<typeof load>

/** Converts a failed effect to an error: its refusal, or a `Fault` if the failure was unexpected. */
const errorOf = ({ ServiceError }: Mcp, exchange: Exchange, context: Context.Context<never>) => {
  const trouble = (told: Trouble) => {
    // The protocol responds with 200, so the rejection is counted here.
    if (told.kind === "refused") countRejection(told.problem.code, context)
    return new ServiceError(told)
  }
  const ofCause = (cause: Cause.Cause<unknown>) => {
    const refusal = refusalIn(cause)
    const told = refusedBy(refusal ?? new Fault(), exchange)
    Effect.runForkWith(context)(
      refusal === undefined ? logFault(cause) : logRefusal(refusal, told.problem.status, cause)
    )
    return trouble(told)
  }
  return { trouble, ofCause }
}

/**
 * The web request for the protocol's handler. It is aborted if the connection closes before the response is finished.
 */
const webRequestOf = ({ request }: CallerRequest<typeof endpoint>, interrupted: AbortSignal): Request => {
  const gone = new AbortController()
  const response = nodeResponseOf(request)
  response?.once("close", () => {
    if (!response.writableFinished) gone.abort(new Error("the client hung up"))
  })
  return new Request(`http://service${endpoint.path}`, {
    method: "POST",
    headers: { ...request.headers },
    signal: AbortSignal.any([interrupted, gone.signal])
  })
}

/** The MCP bridge of the service. Callers get the tools of their keys, over HTTP without MCP sessions. */
export const layerMcp = (publicUrl: string | undefined) =>
  Layer.unwrap(Effect.gen(function*() {
    const [caller, toolbox, whoCalls, draining] = yield* Effect.all([ToolCaller, Toolbox, WhoCalls, Draining])
    const address = yield* reachedAt(publicUrl)
    const analyst = Option.getOrUndefined(yield* Effect.serviceOption(Analyst))
    const webStream = yield* makeWebStreams
    const loaded = yield* Effect.cached(Effect.map(load, (mcp) => {
      const face: HttpFace = mcp.makeHttpFace({ keepsAwake: false })
      const { progressIn } = mcp
      const engine: Engine = { caller, analyst, entries: catalogueFor(toolbox), stopping: draining.begun, progressIn }
      return { mcp, face, engine }
    }))

    const answer = Effect.fnUntraced(function*(asked: CallerRequest<typeof endpoint>) {
      const { exchange, request } = asked
      const { principal, value } = yield* readCallerBody(request, callBodyLimit, exchange)
      const { engine, face, mcp } = yield* loaded
      const context = yield* Effect.context<never>()
      const runExit = Effect.runPromiseExitWith(context)
      const { ofCause, trouble } = errorOf(mcp, exchange, context)
      const run = runner((effect, signal) => runExit(effect, { signal }), ofCause)
      const of: CallerOf = {
        principal,
        exchange,
        ...idempotencyKeyOf(request, exchange),
        whileOpen: (generation, effect) => whoCalls.whileOpen(request, followScopes(principal, generation), effect)
      }
      const service = engineService(engine, of, run, trouble)
      const response = yield* Effect.promise((signal) => face.answer(webRequestOf(asked, signal), service, value))
      return yield* webStream(request, response)
    })
    return layerCallerRoute(
      endpoint,
      (asked) => Effect.provideService(respond(answer(asked)), PublicAddress, address),
      "key"
    )
  }))
