import type { Problem, ServiceError } from "./service.ts"

export const formatCredits = (count: number): string => `${count} ${count === 1 ? "credit" : "credits"}`

/** The maximum length of a name that an error message repeats, in UTF-16 units. */
const maxNameLength = 100

export const shortenName = (name: string): string =>
  name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength).toWellFormed()}…`

/** Returns the message that tools with the given names do not exist, with long names shortened. */
export const describeMissingTool = (...names: ReadonlyArray<string>): string =>
  `There is no tool ${names.map(shortenName).join(", ")}`

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const readList = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.filter(isObject) : []

const formatRemaining = (left: unknown): string => `${formatValue(left)} ${left === 1 ? "is" : "are"} left`

/** Formats a number or text of a problem, or returns `?` if an older or newer service omits the value. */
const formatValue = (value: unknown): string =>
  typeof value === "number" || typeof value === "string" ? String(value) : "?"

const formatRetryAfter = (problem: Problem): string | undefined => {
  const retryAfterSeconds = problem["retry_after_seconds"]
  return typeof retryAfterSeconds === "number"
    ? `${retryAfterSeconds} ${retryAfterSeconds === 1 ? "second" : "seconds"}`
    : undefined
}

const explainOverLimit = (problem: Problem): string => {
  const waysForward = readList(problem["ways_forward"])
  const renewsAt = waysForward.find(({ action }) => action === "wait")?.["renews_at"]
  const plans = waysForward.flatMap(({ action, plans }) => action === "upgrade" ? readList(plans) : [])
  const upgrade = plans.map(({ monthly_credits, plan }) =>
    `${formatValue(plan)} (${formatValue(monthly_credits)} a month)`
  )
  return `Out of credits: this costs ${formatValue(problem["price"])} and ${
    formatRemaining(problem["credits_left"])
  } this month. ` +
    `Nothing was charged. Credits renew at ${formatValue(renewsAt)}; until then, only cheaper calls work.` +
    (upgrade.length === 0 ? "" : ` A higher plan has more: ${upgrade.join(", ")}.`)
}

const explainKeyOverLimit = (problem: Problem): string => {
  const renewsAt = readList(problem["ways_forward"]).find(({ action }) => action === "wait")?.["renews_at"]
  return `The API key has used its own monthly credits: this call costs ${formatValue(problem["price"])} and ${
    formatRemaining(problem["credits_left"])
  } of ${formatValue(problem["monthly_credits"])}. ` +
    `Nothing was charged. The credits renew at ${formatValue(renewsAt)}; until then, only cheaper calls work. The ` +
    "account's owner can raise the key's limit in the console."
}

const explainInvalidArguments = (problem: Problem): string => {
  const issues = readList(problem["issues"]).map(({ message, path }) =>
    [Array.isArray(path) ? path.join(".") : "", formatValue(message)].filter((part) => part !== "").join(": ")
  )
  return `Invalid arguments; nothing was charged. ${issues.length === 0 ? problem.detail : issues.join(" ")} ` +
    "Correct them and call again."
}

/**
 * The message to the model for each error code. Each message states the cause, how long the cause lasts, and what the
 * model can do.
 */
const explanations: Readonly<Record<string, (problem: Problem) => string>> = {
  over_limit: explainOverLimit,
  key_over_limit: explainKeyOverLimit,
  address_not_allowed: () =>
    "The API key is not accepted from the IP address of this MCP server. No call works until the account's owner " +
    "permits the address in the console.",
  invalid_arguments: explainInvalidArguments,
  scope_required: (problem) =>
    `This call needs the scope ${formatValue(problem["required_scope"])}, which the key lacks. Do not retry: ` +
    "the account's owner can grant the scope to the key in the console. The listed tools work without it.",
  invalid_key: () =>
    "The API key is invalid, revoked or expired. No call works until the MCP server is configured with a valid key.",
  unknown_tool: ({ detail }) => `${detail} List or find the tools again, because they may have changed.`,
  user_id_not_accepted: ({ detail }) => `${detail} Omit user_id and call again.`,
  rate_limited: (problem) =>
    `Too many requests in this minute; nothing was charged. Call again in ${formatRetryAfter(problem) ?? "a minute"}.`,
  daily_quota_reached: (problem) =>
    `${
      problem["quota"] === 1
        ? "Today's only answer is"
        : `All ${formatValue(problem["quota"])} of today's answers are`
    } ` +
    `used; nothing was charged. The analyst answers again at ` +
    `${formatValue(problem["renews_at"])}; other tools work until then.`,
  generation_running: ({ detail }) =>
    `${detail} Wait for that answer, or omit conversation_id to start another conversation.`,
  proposal_closed: ({ detail }) => `${detail} Nothing was charged.`,
  proposal_outdated: ({ detail }) => `${detail} Nothing was charged.`,
  conversation_went_on: ({ detail }) => `${detail} Nothing was charged.`,
  conversation_not_found: ({ detail }) => `${detail} Omit conversation_id to start a new conversation.`
}

/** Returns an explanation of an error to the model, with what the model can do. */
export const explainError = ({ reason }: ServiceError): string => {
  if (reason.kind === "unreachable") {
    return `The service returned no complete response: ${reason.message}. It may be temporarily unavailable: try ` +
      "again later. It is unknown whether this call was executed and charged, and a repeated call is a new call. " +
      "Check the state before you repeat a call that writes."
  }
  if (reason.kind === "failed") {
    const { candidates = [], code, message, retryable } = reason
    const candidateNames = candidates.map(({ name, symbol }) => `${symbol} (${name})`)
    return `${message} (${code}; nothing was charged.)` +
      (candidateNames.length === 0
        ? ""
        : ` Possible matches: ${candidateNames.join(", ")}. Call again with one of these symbols.`) +
      (retryable ? " The same call may succeed later." : "")
  }
  const { problem } = reason
  const explain = explanations[problem.code]
  if (explain !== undefined) return explain(problem)
  const retryAfter = formatRetryAfter(problem)
  return `${problem.detail} (${problem.code})${retryAfter === undefined ? "" : ` Call again in ${retryAfter}.`}`
}

/** Returns the progress message for an event of an answer, or undefined for events without a message. */
export const describeProgress = (kind: string, data: object): string | undefined => {
  if (kind === "status" && "text" in data) return String(data.text)
  if (!("name" in data)) return undefined
  if (kind === "tool") return `Calling ${String(data.name)}`
  return kind === "tool_done" && "ok" in data && data.ok === false
    ? `${String(data.name)} failed`
    : undefined
}
