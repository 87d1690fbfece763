import type { Problem, ServiceError } from "./service.ts"

/** Formats a number of credits: one credit, two credits. */
export const creditsOf = (count: number): string => `${count} ${count === 1 ? "credit" : "credits"}`

/** The maximum length of a name that an error repeats, in UTF-16 units. */
const maxName = 100

/** Shortens a long name that a client sent. */
export const shortened = (name: string): string =>
  name.length <= maxName ? name : `${name.slice(0, maxName).toWellFormed()}…`

/** Returns the message that there are no tools of these names. Long names are shortened. */
export const noTool = (...names: ReadonlyArray<string>): string => `There is no tool ${names.map(shortened).join(", ")}`

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const listIn = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.filter(isObject) : []

const areLeft = (left: unknown): string => `${said(left)} ${left === 1 ? "is" : "are"} left`

/** Formats a number or text of a problem; "?" if an older or newer service omits it. */
const said = (value: unknown): string => typeof value === "number" || typeof value === "string" ? String(value) : "?"

const seconds = (problem: Problem): string | undefined => {
  const after = problem["retry_after_seconds"]
  return typeof after === "number" ? `${after} ${after === 1 ? "second" : "seconds"}` : undefined
}

const overLimit = (problem: Problem): string => {
  const ways = listIn(problem["ways_forward"])
  const renews = ways.find(({ action }) => action === "wait")?.["renews_at"]
  const plans = ways.flatMap(({ action, plans }) => action === "upgrade" ? listIn(plans) : [])
  const upgrade = plans.map(({ monthly_credits, plan }) => `${said(plan)} (${said(monthly_credits)} a month)`)
  return `Out of credits: this costs ${said(problem["price"])} and ${areLeft(problem["credits_left"])} this month. ` +
    `Nothing was charged. Credits renew at ${said(renews)}; until then only what costs less can be called.` +
    (upgrade.length === 0 ? "" : ` A higher plan has more: ${upgrade.join(", ")}.`)
}

const invalidArguments = (problem: Problem): string => {
  const issues = listIn(problem["issues"]).map(({ message, path }) =>
    [Array.isArray(path) ? path.join(".") : "", said(message)].filter((part) => part !== "").join(": ")
  )
  return `Wrong arguments; nothing was charged. ${issues.length === 0 ? problem.detail : issues.join(" ")} ` +
    "Correct them and call again."
}

/** The messages for a model by error code: the fault, its duration, and what the model can do. */
const refusals: Readonly<Record<string, (problem: Problem) => string>> = {
  over_limit: overLimit,
  invalid_arguments: invalidArguments,
  scope_required: (problem) =>
    `The key lacks the scope ${said(problem["required_scope"])}, which this needs. Calling again does not help: ` +
    "whoever administers the keys can give it that scope. The tools that are listed work without it.",
  invalid_key: () =>
    "The key is not accepted: it is wrong, revoked or expired. No call works until the bridge is given a valid key.",
  unknown_tool: ({ detail }) => `${detail} List or find the tools again: they may have changed.`,
  user_id_not_accepted: ({ detail }) => `${detail} Leave user_id out and call again.`,
  rate_limited: (problem) =>
    `Too many requests in this minute; nothing was charged. Call again in ${seconds(problem) ?? "a minute"}.`,
  daily_quota_reached: (problem) =>
    `${problem["quota"] === 1 ? "The one answer of today is" : `All ${said(problem["quota"])} answers of today are`} ` +
    `used; nothing was charged. The analyst answers again at ` +
    `${said(problem["renews_at"])}; other tools work until then.`,
  generation_running: ({ detail }) =>
    `${detail} Wait for that answer, or ask without conversation_id to begin another conversation.`,
  conversation_went_on: ({ detail }) => `${detail} Nothing was charged.`,
  conversation_not_found: ({ detail }) => `${detail} Leave conversation_id out to begin a new one.`
}

/** Explains an error to a model, with what the model can do. */
export const wordsOf = ({ trouble }: ServiceError): string => {
  if (trouble.kind === "unreachable") {
    return `No whole answer of the service came: ${trouble.message}. It may be away for a while: try again ` +
      "later. Whether this was done, and charged, is not known, and a call that is made again is another one: look " +
      "before anything that writes is called again."
  }
  if (trouble.kind === "failed") {
    const { candidates = [], code, message, retryable } = trouble
    const meant = candidates.map(({ name, symbol }) => `${symbol} (${name})`)
    return `${message} (${code}; nothing was charged.)` +
      (meant.length === 0 ? "" : ` It may mean: ${meant.join(", ")}. Call again with one of these symbols.`) +
      (retryable ? " The same call may succeed later." : "")
  }
  const { problem } = trouble
  const own = refusals[problem.code]
  if (own !== undefined) return own(problem)
  const after = seconds(problem)
  return `${problem.detail} (${problem.code})${after === undefined ? "" : ` Call again in ${after}.`}`
}
