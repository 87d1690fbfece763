import type { ToolSpecification } from "@tapeline/core/specifications"
import { accountOf } from "./account.ts"
import { AnswerStream, type Opening } from "./agent/AnswerStream.ts"
import { conversationPath, messagesOf, readConversation } from "./agent/conversation.ts"
import { BellStream } from "./bell/BellStream.ts"
import type {
  AgentMethods,
  Answer,
  Cancelled,
  Catalogue,
  Chart,
  Client,
  ConversationList,
  ConversationMethods,
  Question
} from "./Client.ts"
import { isClientError } from "./errors.ts"
import { newIdempotencyKey } from "./idempotencyKey.ts"
import { type Platform, thisMachine } from "./platform.ts"
import { type CallOptions, type ChargedOptions, type ClientSettings, soundSettings } from "./settings.ts"
import { type BuiltIn, byToolName, callTool, type Tools } from "./tools.ts"
import { callPatience, Connection, type Patience, withQuery } from "./transport/Connection.ts"

/** A complete answer takes minutes. A try without a response is repeated and waits for the same answer. */
const answerPatience: Patience = { timeoutMs: 600_000, tryMs: 120_000 }

const get = <A>(connection: Connection, path: string, options: CallOptions | undefined): Promise<A> =>
  connection.json({ method: "GET", path, options })

const question = (path: string, asked: Question, options: ChargedOptions, accept?: string) => ({
  method: "POST",
  path,
  // Created before the first try, so that a repeated question does not begin a second answer.
  headers: { accept, "idempotency-key": options.idempotency_key ?? newIdempotencyKey() },
  body: JSON.stringify(asked),
  options
} as const)

const agentOf = (connection: Connection): AgentMethods => ({
  ask: (asked, options = {}) => connection.json<Answer>(question("/v1/agent/messages", asked, options), answerPatience),
  stream: (asked, options = {}) => {
    const opening: Opening = {
      asked: question("/v1/agent/stream", asked, options, "text/event-stream, application/problem+json"),
      question: asked.regenerate === true ? undefined : asked.message,
      conversation: asked.conversation_id ?? undefined,
      after: undefined,
      options
    }
    return new AnswerStream(connection, opening)
  },
  resume: (conversation, options = {}) =>
    new AnswerStream(connection, {
      asked: undefined,
      question: undefined,
      conversation,
      after: options.after,
      options
    }),
  cancel: (conversation, options) =>
    connection.json<Cancelled>({ method: "POST", path: `/v1/agent/cancel/${conversation}`, options })
})

const conversationsOf = (connection: Connection): ConversationMethods => ({
  list: ({ cursor, limit } = {}, options) =>
    get<ConversationList>(connection, withQuery("/v1/agent/conversations", { cursor, limit }), options),
  read: (conversation, page, options) => readConversation(connection, conversation, page, options),
  messages: (conversation, options) => messagesOf(connection, conversation, options),
  remove: async (conversation, options) => {
    const asked = { method: "DELETE", path: conversationPath(conversation), options } as const
    await connection.request(asked, callPatience, async () => undefined, (error, { number }) => {
      // An earlier try deleted it, and its response was lost.
      if (number > 1 && isClientError(error) && error._tag === "ConversationNotFound") return undefined
      throw error
    })
  }
})

/**
 * Returns the id in a chart's address. The host of the address is ignored, so that the key is sent only to the service.
 */
const chartId = (chart: string): string => chart.replace(/[?#].*$/s, "").replace(/^.*\//s, "")

const chartOf = async (
  connection: Connection,
  chart: string,
  options: Parameters<Client["chart"]>[1] = {}
): Promise<Chart> => {
  const accept = options.format === "svg" ? "image/svg+xml" : "image/png"
  const path = `/v1/charts/${encodeURIComponent(chartId(chart))}`
  return connection.request(
    { method: "GET", path, headers: { accept }, options },
    callPatience,
    async (response, attempt) => ({
      bytes: await connection.bytes(response, attempt.part),
      content_type: response.headers.get("content-type") ?? accept
    })
  )
}

/** Returns the catalogue. Caches it per query, and revalidates it by its `etag`. */
const catalogueOf = (connection: Connection): Client["catalogue"] => {
  const kept = new Map<string, { readonly etag: string; readonly catalogue: Catalogue }>()
  return ({ area, view } = {}, options) => {
    const path = withQuery("/v1/tools", { area, view })
    const headers = { "if-none-match": kept.get(path)?.etag }
    return connection.request({ method: "GET", path, headers, options }, callPatience, async (response, { part }) => {
      const known = kept.get(path)
      if (response.status === 304 && known !== undefined) return known.catalogue
      // As above: the contract's type.
      const catalogue = await connection.body({ method: "GET", path, options }, response, part) as Catalogue
      const etag = response.headers.get("etag")
      if (etag !== null) kept.set(path, { etag, catalogue })
      return catalogue
    })
  }
}

/** Makes a client on a given platform. Tests use one with a controllable clock. */
export const createClientOn = <Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn>(
  platform: Platform,
  settings: ClientSettings
): Client<Specifications> => {
  const connection = new Connection(soundSettings(settings), platform)
  const tools = byToolName((name) => (args: unknown, options?: ChargedOptions) =>
    callTool(connection, name, args, options)
  )
  return {
    // The methods have the names and types of the tools, which exist only as types.
    tools: tools as Tools<Specifications>,
    call: (name, args, options) => callTool(connection, name, args, options),
    catalogue: catalogueOf(connection),
    usage: ({ month } = {}, options) => get(connection, withQuery("/v1/usage", { month }), options),
    quote: (calls, options) =>
      connection.json({ method: "POST", path: "/v1/quote", body: JSON.stringify({ calls }), options }),
    chart: (chart, options) => chartOf(connection, chart, options),
    account: accountOf(connection),
    agent: agentOf(connection),
    conversations: conversationsOf(connection),
    notifications: (options = {}) => new BellStream(connection, options),
    openapi: (options) => get(connection, "/v1/openapi.json", options),
    health: (options) => get(connection, "/healthz", options),
    readiness: (options) => get(connection, "/readyz", options)
  }
}

/**
 * Makes a client of the service at an address. It holds no open connection, so there is nothing to close. If the
 * service has tools of its own, `createClient<typeof specifications>` has their types.
 */
export const createClient = <Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn>(
  settings: ClientSettings
): Client<Specifications> => createClientOn(thisMachine, settings)
