import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext
} from "@modelcontextprotocol/server"
import { describeMissingTool, explainError, shortenName } from "./messages.ts"
import { describeTools, findTools, makeMetaTools, metaNames } from "./metaTools.ts"
import {
  catchServiceErrors,
  type DecidedProposal,
  makeErrorResult,
  toAcceptedResult,
  toAnswerResult,
  toCallResult
} from "./results.ts"
import { type Proposal, type Question, type Service, ServiceError } from "./service.ts"
import { acceptToolName, analystToolName, listEntries, listTools } from "./toolList.ts"

/** The version of the package, equal to the version in `package.json`. */
export const version = "0.2.0"

/** The options of an MCP server for a Tapeline service. */
export interface BridgeOptions {
  /** Whether the server offers only three tools (find, describe, call) instead of the full tool list. */
  readonly meta?: boolean | undefined
  /**
   * If true, the tool list contains complete result schemas. If false, the list states only that each result is an
   * object.
   */
  readonly wholeOutputs?: boolean | undefined
  /** Whether the server declares to clients that it reports changes of the tool list. */
  readonly listChanges?: boolean | undefined
  /** If true, a closed connection does not cancel the call. */
  readonly isDisconnectOnClose?: boolean | undefined
}

const instructions = "Market data and analysis of crypto, derivatives, options, the Korean market and US equities. " +
  "Each call costs monthly credits; its description contains the price. Times are UTC, _pct is in percent."

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

type Args = Readonly<Record<string, unknown>>

/**
 * Converts the arguments of the analyst's tool to a question. Returns undefined if the argument `question` contains no
 * text. The service validates all arguments other than `question` and `message`.
 */
const readQuestion = ({ message, question, ...rest }: Args): Question | undefined =>
  typeof question === "string" && question !== "" && message === undefined
    ? { ...rest, message: question }
    : undefined

/** Renames the field `message` in an issue to `question`, the argument of the analyst's tool. */
const renameIssueField = (issue: unknown): unknown => {
  if (!isObject(issue) || !Array.isArray(issue["path"]) || issue["path"][0] !== "message") return issue
  return { ...issue, path: ["question", ...issue["path"].slice(1)] }
}

const renameProblemFields = (error: unknown): unknown => {
  if (!(error instanceof ServiceError) || error.reason.kind !== "refused") return error
  const { issues, ...problem } = error.reason.problem
  if (!Array.isArray(issues)) return error
  return new ServiceError({ kind: "refused", problem: { ...problem, issues: issues.map(renameIssueField) } }, error)
}

/** The interval of progress messages, in ms; many clients time out after a minute without a progress message. */
const progressIntervalMs = 15_000

/**
 * Runs a call and sends numbered progress messages to the client. Repeats the last progress message at intervals until
 * the call reports a new message.
 */
const withProgress = async <A>(
  { mcpReq }: ServerContext,
  work: (report: (text: string) => void) => Promise<A>
): Promise<A> => {
  const token = mcpReq._meta?.progressToken
  if (token === undefined) return await work(() => undefined)
  let progress = 0
  let last = "Waiting for the service"
  const send = () => {
    progress++
    // A disconnected client gets no messages, and the client's abort signal reports the disconnection.
    mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken: token, progress, message: last }
    }).catch(() => undefined)
  }
  const progressTimer = setInterval(send, progressIntervalMs)
  try {
    return await work((text) => {
      last = text
      progressTimer.refresh()
      send()
    })
  } finally {
    clearInterval(progressTimer)
  }
}

const toolUriPattern = /^tapeline:\/\/tools\/([a-z][a-z0-9_]{0,63})$/

/** Asks the user of the host to agree to a proposal. Returns false if the user declines, or if the host fails. */
const askUser = async ({ summary }: Proposal, mcpReq: ServerContext["mcpReq"]): Promise<boolean> => {
  try {
    const { action, content } = await mcpReq.elicitInput({
      mode: "form",
      message: `The analyst proposes a change. Nothing is written until you agree.\n\n${summary}`,
      requestedSchema: {
        type: "object",
        properties: { agree: { type: "boolean", title: "Make this change", default: false } },
        required: ["agree"]
      }
    })
    return action === "accept" && content?.["agree"] === true
  } catch {
    return false
  }
}

class CallHandler {
  readonly #service: Service
  readonly #options: BridgeOptions
  readonly #canElicit: () => boolean

  constructor(service: Service, options: BridgeOptions, canElicit: () => boolean) {
    this.#service = service
    this.#options = options
    this.#canElicit = canElicit
  }

  async tools(signal: AbortSignal) {
    const catalogue = await this.#service.catalogue(signal)
    return this.#options.meta === true
      ? makeMetaTools(catalogue)
      : listTools(catalogue, { wholeOutputs: this.#options.wholeOutputs === true })
  }

  async call(name: string, args: Args, context: ServerContext): Promise<CallToolResult> {
    if (this.#options.meta !== true) return await this.#direct(name, args, context)
    const { signal } = context.mcpReq
    switch (name) {
      case metaNames.find:
        return findTools(await this.#service.catalogue(signal), args["query"], args["area"])
      case metaNames.describe:
        return describeTools(await this.#service.catalogue(signal), args["names"], args["results"])
      case metaNames.call: {
        const tool = args["name"]
        if (typeof tool !== "string") return makeErrorResult("Invalid arguments. name: expected the name of a tool.")
        // Invalid arguments must not become empty arguments, because the call would run and be charged without being
        // the intended call.
        const toolArguments = args["arguments"] ?? {}
        if (!isObject(toolArguments)) {
          return makeErrorResult(
            "Invalid arguments. arguments: expected an object, not its JSON text. Nothing was charged."
          )
        }
        return await this.#direct(tool, toolArguments, context)
      }
      default:
        return makeErrorResult(`${describeMissingTool(name)}. Available: ${Object.values(metaNames).join(", ")}.`)
    }
  }

  async #direct(name: string, args: Args, context: ServerContext): Promise<CallToolResult> {
    return await withProgress(context, async (report) =>
      name === analystToolName
        ? await this.#ask(args, context, report)
        : name === acceptToolName
        ? await this.#accept(args, context.mcpReq.signal)
        : toCallResult(await this.#service.call(name, args, context.mcpReq.signal)))
  }

  async #accept({ id, ...rest }: Args, signal: AbortSignal): Promise<CallToolResult> {
    return typeof id !== "string" || Object.keys(rest).length > 0
      ? makeErrorResult("Invalid arguments. id: expected the id of a proposal, and nothing else. Nothing was charged.")
      : toAcceptedResult(await this.#service.acceptProposal(id, signal))
  }

  /**
   * Asks the user of the host about each proposal, if the host supports elicitation, and accepts the proposals to which
   * the user agrees. Otherwise the proposals stay open.
   */
  async #decide(
    proposals: ReadonlyArray<Proposal>,
    { mcpReq }: ServerContext
  ): Promise<ReadonlyArray<DecidedProposal>> {
    const decided: Array<DecidedProposal> = []
    for (const proposal of proposals) {
      const isAgreed = this.#canElicit() && await askUser(proposal, mcpReq)
      if (!isAgreed) {
        decided.push({ ...proposal, state: "open" })
        continue
      }
      try {
        const { error, state } = await this.#service.acceptProposal(proposal.id, mcpReq.signal)
        decided.push({ ...proposal, state, ...(error === null ? {} : { error: error.message }) })
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        // The proposal can be open, for example without credits, or have ended, for example after a lost response.
        decided.push({ ...proposal, state: "unknown", error: explainError(error) })
      }
    }
    return decided
  }

  async #ask(args: Args, context: ServerContext, onProgress: (text: string) => void): Promise<CallToolResult> {
    const { signal } = context.mcpReq
    const question = readQuestion(args)
    if (question === undefined) {
      return makeErrorResult(
        "Invalid arguments. question: expected a text, and no argument `message`. Nothing was charged."
      )
    }
    const signals = this.#options.isDisconnectOnClose === true
      ? { cancelled: new AbortController().signal, disconnected: signal }
      : { cancelled: signal }
    try {
      const { proposals = [], ...answer } = await this.#service.ask(question, { ...signals, onProgress })
      return toAnswerResult({ ...answer, proposals: await this.#decide(proposals, context) })
    } catch (error) {
      throw renameProblemFields(error)
    }
  }

  /** Returns the full description of a tool as JSON, including the result schema. */
  async readEntry(address: string, signal: AbortSignal): Promise<string> {
    const name = toolUriPattern.exec(address)?.[1]
    const toolEntry = listEntries(await this.#service.catalogue(signal)).find((entry) => entry.name === name)
    if (toolEntry === undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Resource not found, or not accessible to this key: ${shortenName(address)}`
      )
    }
    return JSON.stringify(toolEntry)
  }
}

/**
 * Converts service errors to protocol errors, for requests of lists and resources. The MCP results of list and resource
 * requests cannot contain an error.
 */
const toProtocolErrors = async <A>(work: Promise<A>): Promise<A> => {
  try {
    return await work
  } catch (error) {
    if (error instanceof ServiceError) throw new ProtocolError(ProtocolErrorCode.InternalError, explainError(error))
    throw error
  }
}

/** Makes an MCP server for one connection or one request. */
export const makeServer = (service: Service, options: BridgeOptions = {}): Server => {
  const server = new Server(
    { name: "tapeline", title: "Tapeline", version },
    { capabilities: { tools: { listChanged: options.listChanges === true }, resources: {} }, instructions }
  )
  const callHandler = new CallHandler(
    service,
    options,
    () => server.getClientCapabilities()?.elicitation !== undefined
  )
  server.setRequestHandler(
    "tools/list",
    async (_, { mcpReq }) => ({ tools: await toProtocolErrors(callHandler.tools(mcpReq.signal)) })
  )
  server.setRequestHandler(
    "tools/call",
    ({ params }, context) => catchServiceErrors(() => callHandler.call(params.name, params.arguments ?? {}, context))
  )
  server.setRequestHandler("resources/list", () => ({ resources: [] }))
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{
      uriTemplate: "tapeline://tools/{name}",
      name: "tool",
      description: "A tool with the full schemas of its arguments and its result",
      mimeType: "application/json"
    }]
  }))
  server.setRequestHandler("resources/read", async ({ params: { uri } }, { mcpReq }) => ({
    contents: [{
      uri,
      mimeType: "application/json",
      text: await toProtocolErrors(callHandler.readEntry(uri, mcpReq.signal))
    }]
  }))
  return server
}
