import { CommonErrors, Fault, KeyAuthorization, RejectUnknownQuery } from "@tapeline/api"
import { Analyst, PublicBaseUrl, Toolbox, ToolCaller } from "@tapeline/core"
import { listFollowScopes } from "@tapeline/core/agent"
import type { FailureReason, McpHttpHandler } from "@tapeline/mcp"
import { type Cause, type Context, Effect, Layer, Option, Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { callBodyLimit, readCallerBody } from "../body.ts"
import { type CallerRequest, layerCallerRoute } from "../callerRoute.ts"
import { RequestAuthenticator } from "../callers/RequestAuthenticator.ts"
import { cachedCatalogueOf } from "../catalogue.ts"
import { Draining } from "../Draining.ts"
import { countRejection } from "../metrics.ts"
import { publicAddress } from "../publicAddress.ts"
import { readIdempotencyKey, type RequestContext } from "../requestContext.ts"
import { catchToResponse, findRejection, logFault, logRejection } from "../responses.ts"
import { nodeResponseOf } from "../streaming/nodeResponse.ts"
import { makeWebResponder } from "../streaming/webResponse.ts"
import { type Engine, makeEngineService, makeRunEffect, rejectionProblem, type RequestCaller } from "./engineService.ts"

/**
 * The HTTP endpoint of the MCP bridge. The OpenAPI document omits this endpoint, because API callers have other
 * operations for the same data.
 */
const endpoint = HttpApiEndpoint.post("mcp", "/mcp", { success: Schema.Unknown })
  .middleware(RejectUnknownQuery)
  .middleware(KeyAuthorization)
  .middleware(CommonErrors)

export const mcpRoute = { method: endpoint.method, path: endpoint.path }

/** Loads the MCP library at the first MCP request, because most services never receive an MCP request. */
const loadMcp = Effect.promise(() => import("@tapeline/mcp"))

type McpModule = Effect.Success<typeof loadMcp>

const makeErrorConverters = (
  { ServiceError }: McpModule,
  requestContext: RequestContext,
  context: Context.Context<never>
) => {
  const toServiceError = (failure: FailureReason) => {
    // MCP responds with status 200 to a rejected call, so the MCP handler counts the rejection itself.
    if (failure.kind === "refused") countRejection(failure.problem.code, context)
    return new ServiceError(failure)
  }
  const causeToError = (cause: Cause.Cause<unknown>) => {
    const rejection = findRejection(cause)
    const problem = rejectionProblem(rejection ?? new Fault(), requestContext)
    Effect.runForkWith(context)(
      rejection === undefined ? logFault(cause) : logRejection(rejection, problem.problem.status, cause)
    )
    return toServiceError(problem)
  }
  return { toServiceError, causeToError }
}

/**
 * Creates a web request for the MCP handler. The request is aborted if the connection closes before the response is
 * finished.
 */
const webRequestOf = ({ request }: CallerRequest<typeof endpoint>, interrupted: AbortSignal): Request => {
  const disconnected = new AbortController()
  const response = nodeResponseOf(request)
  response?.once("close", () => {
    if (!response.writableFinished) disconnected.abort(new Error("the client disconnected"))
  })
  return new Request(`http://service${endpoint.path}`, {
    method: "POST",
    headers: { ...request.headers },
    signal: AbortSignal.any([interrupted, disconnected.signal])
  })
}

/**
 * The MCP bridge of the service, over HTTP without MCP sessions. The bridge shows callers only the tools that their
 * keys allow.
 */
export const layerMcp = (publicUrl: string | undefined) =>
  Layer.unwrap(Effect.gen(function*() {
    const [toolCaller, toolbox, requestAuthenticator, draining] = yield* Effect.all([
      ToolCaller,
      Toolbox,
      RequestAuthenticator,
      Draining
    ])
    const address = yield* publicAddress(publicUrl)
    const analyst = Option.getOrUndefined(yield* Effect.serviceOption(Analyst))
    const respondWeb = yield* makeWebResponder
    const loaded = yield* Effect.cached(Effect.map(loadMcp, (mcp) => {
      const httpHandler: McpHttpHandler = mcp.makeMcpHttpHandler({ sendsKeepAlive: false })
      const { describeProgress } = mcp
      const engine: Engine = {
        toolCaller,
        analyst,
        entries: cachedCatalogueOf(toolbox),
        stopping: draining.awaitBegin,
        progressOf: describeProgress
      }
      return { mcp, httpHandler, engine }
    }))

    const handle = Effect.fnUntraced(function*(callerRequest: CallerRequest<typeof endpoint>) {
      const { requestContext, request } = callerRequest
      const { principal, value } = yield* readCallerBody(request, callBodyLimit, requestContext)
      const { engine, httpHandler, mcp } = yield* loaded
      const context = yield* Effect.context<never>()
      const runExit = Effect.runPromiseExitWith(context)
      const { causeToError, toServiceError } = makeErrorConverters(mcp, requestContext, context)
      const run = makeRunEffect((effect, signal) => runExit(effect, { signal }), causeToError)
      const requestCaller: RequestCaller = {
        principal,
        requestContext,
        ...readIdempotencyKey(request, requestContext),
        whileAuthorized: (generation, effect) =>
          requestAuthenticator.whileAuthorized(request, listFollowScopes(principal, generation), effect)
      }
      const service = makeEngineService(engine, requestCaller, run, toServiceError)
      const response = yield* Effect.promise((signal) =>
        httpHandler.handle(webRequestOf(callerRequest, signal), service, value)
      )
      return yield* respondWeb(request, response)
    })
    return layerCallerRoute(
      endpoint,
      (callerRequest) => Effect.provideService(catchToResponse(handle(callerRequest)), PublicBaseUrl, address),
      "key"
    )
  }))
