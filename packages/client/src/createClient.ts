import type { ToolSpecification } from "@tapeline/core/specifications"
import { makeAccountMethods } from "./account.ts"
import { type AnswerRequest, AnswerStream } from "./agent/AnswerStream.ts"
import { conversationPath, readConversation, readMessages } from "./agent/conversation.ts"
import type {
  AgentMethods,
  Answer,
  Cancelled,
  Catalogue,
  Chart,
  Client,
  ConversationList,
  ConversationMethods,
  Proposal,
  ProposalMethods,
  Question
} from "./Client.ts"
import { isClientError } from "./errors.ts"
import { newIdempotencyKey } from "./idempotencyKey.ts"
import { NotificationStream } from "./notifications/NotificationStream.ts"
import { type Platform, systemPlatform } from "./platform.ts"
import { type CallOptions, type ChargedOptions, type ClientSettings, validateSettings } from "./settings.ts"
import { type BuiltIn, callTool, makeToolProxy, type Tools } from "./tools.ts"
import { Connection, defaultRetryPolicy, type RetryPolicy, withQuery } from "./transport/Connection.ts"

/** The retry policy of questions. The timeouts of questions are long, because a complete answer takes minutes. */
const answerRetryPolicy: RetryPolicy = { timeoutMs: 600_000, attemptTimeoutMs: 120_000 }

const get = <A>(connection: Connection, path: string, options: CallOptions | undefined): Promise<A> =>
  connection.json({ method: "GET", path, options })

const questionRequest = (path: string, userQuestion: Question, options: ChargedOptions, accept?: string) => ({
  method: "POST",
  path,
  // The idempotency key is created before the first try, so that a retry does not begin a second answer.
  headers: { accept, "idempotency-key": options.idempotency_key ?? newIdempotencyKey() },
  body: JSON.stringify(userQuestion),
  options
} as const)

const makeAgentMethods = (connection: Connection): AgentMethods => ({
  ask: (userQuestion, options = {}) =>
    connection.json<Answer>(questionRequest("/v1/agent/messages", userQuestion, options), answerRetryPolicy),
  stream: (userQuestion, options = {}) => {
    const answerRequest: AnswerRequest = {
      httpRequest: questionRequest(
        "/v1/agent/stream",
        userQuestion,
        options,
        "text/event-stream, application/problem+json"
      ),
      question: userQuestion.regenerate === true ? undefined : userQuestion.message,
      conversation: userQuestion.conversation_id ?? undefined,
      after: undefined,
      options
    }
    return new AnswerStream(connection, answerRequest)
  },
  resume: (conversation, options = {}) =>
    new AnswerStream(connection, {
      httpRequest: undefined,
      question: undefined,
      conversation,
      after: options.after,
      options
    }),
  cancel: (conversation, options) =>
    connection.json<Cancelled>({ method: "POST", path: `/v1/agent/cancel/${conversation}`, options })
})

const makeProposalMethods = (connection: Connection): ProposalMethods => {
  const request = (method: "GET" | "POST", proposal: string, action: string, options: CallOptions | undefined) =>
    connection.json<Proposal>({
      method,
      path: `/v1/agent/proposals/${encodeURIComponent(proposal)}${action}`,
      options
    })
  return {
    read: (proposal, options) => request("GET", proposal, "", options),
    accept: (proposal, options) => request("POST", proposal, "/accept", options),
    dismiss: (proposal, options) => request("POST", proposal, "/dismiss", options)
  }
}

const makeConversationMethods = (connection: Connection): ConversationMethods => ({
  list: ({ cursor, limit } = {}, options) =>
    get<ConversationList>(connection, withQuery("/v1/agent/conversations", { cursor, limit }), options),
  read: (conversation, page, options) => readConversation(connection, conversation, page, options),
  messages: (conversation, options) => readMessages(connection, conversation, options),
  remove: async (conversation, options) => {
    const request = { method: "DELETE", path: conversationPath(conversation), options } as const
    await connection.request(request, defaultRetryPolicy, async () => undefined, (error, { number }) => {
      // A retry finds no conversation if an earlier try already deleted the conversation but the response was lost.
      if (number > 1 && isClientError(error) && error._tag === "ConversationNotFound") return undefined
      throw error
    })
  }
})

/**
 * Returns the id of a chart from an id or a URL. Ignores the host of the URL, so that the client sends the API key only
 * to the service.
 */
const chartIdOf = (chart: string): string => chart.replace(/[?#].*$/s, "").replace(/^.*\//s, "")

const fetchChart = async (
  connection: Connection,
  chart: string,
  options: Parameters<Client["chart"]>[1] = {}
): Promise<Chart> => {
  const accept = options.format === "svg" ? "image/svg+xml" : "image/png"
  const path = `/v1/charts/${encodeURIComponent(chartIdOf(chart))}`
  return connection.request(
    { method: "GET", path, headers: { accept }, options },
    defaultRetryPolicy,
    async (response, attempt) => ({
      bytes: await connection.bytes(response, attempt.abortScope),
      content_type: response.headers.get("content-type") ?? accept
    })
  )
}

/**
 * Returns the `catalogue` method of the client. The method caches each query's catalogue and revalidates the cached
 * catalogue by `etag`.
 */
const makeCatalogueMethod = (connection: Connection): Client["catalogue"] => {
  const cache = new Map<string, { readonly etag: string; readonly catalogue: Catalogue }>()
  return ({ area, view } = {}, options) => {
    const path = withQuery("/v1/tools", { area, view })
    const headers = { "if-none-match": cache.get(path)?.etag }
    return connection.request(
      { method: "GET", path, headers, options },
      defaultRetryPolicy,
      async (response, { abortScope }) => {
        const cached = cache.get(path)
        if (response.status === 304 && cached !== undefined) return cached.catalogue
        // The cast is safe because the API defines the type of the catalogue's response.
        const catalogue = await connection.body({ method: "GET", path, options }, response, abortScope) as Catalogue
        const etag = response.headers.get("etag")
        if (etag !== null) cache.set(path, { etag, catalogue })
        return catalogue
      }
    )
  }
}

export const createClientWithPlatform = <Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn>(
  platform: Platform,
  settings: ClientSettings
): Client<Specifications> => {
  const connection = new Connection(validateSettings(settings), platform)
  const tools = makeToolProxy((name) => (args: unknown, options?: ChargedOptions) =>
    callTool(connection, name, args, options)
  )
  return {
    // The cast is safe because the proxy has a method for any name. The tools' names exist only as types.
    tools: tools as Tools<Specifications>,
    call: (name, args, options) => callTool(connection, name, args, options),
    catalogue: makeCatalogueMethod(connection),
    usage: ({ month } = {}, options) => get(connection, withQuery("/v1/usage", { month }), options),
    quote: (calls, options) =>
      connection.json({ method: "POST", path: "/v1/quote", body: JSON.stringify({ calls }), options }),
    chart: (chart, options) => fetchChart(connection, chart, options),
    account: makeAccountMethods(connection),
    agent: makeAgentMethods(connection),
    proposals: makeProposalMethods(connection),
    conversations: makeConversationMethods(connection),
    notifications: (options = {}) => new NotificationStream(connection, options),
    openapi: (options) => get(connection, "/v1/openapi.json", options),
    health: (options) => get(connection, "/healthz", options),
    readiness: (options) => get(connection, "/readyz", options)
  }
}

/**
 * Creates a client of the Tapeline service, which holds no open connection and needs no closing. For typed methods of a
 * service's additional tools, pass the type of the tools' specifications: `createClient<typeof specifications>`.
 */
export const createClient = <Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn>(
  settings: ClientSettings
): Client<Specifications> => createClientWithPlatform(systemPlatform, settings)
