import { setTimeout as sleep } from "node:timers/promises"

export interface AnswerResult {
  /**
   * The times of the request and of each new event, in ms of `performance.now()`. The last time is the time of the
   * event `done`.
   */
  readonly eventTimes: ReadonlyArray<number>
  /**
   * The time in ms during which the service rejected the request because a request with the same idempotency key was in
   * progress.
   */
  readonly inProgressMs: number
  readonly outcome: string
  readonly errorCode: string | null
  readonly credits: number
  readonly hasText: boolean
  readonly findings: ReadonlyArray<string>
}

export interface QuestionOptions {
  readonly addresses: () => ReadonlyArray<string>
  readonly key: string
  readonly question: string
  /** Whether the test cancels the answer after the first text event. */
  readonly shouldCancel: boolean
  /** The maximum time in ms for the whole answer, 90 s by default. */
  readonly maxAnswerMs?: number
}

/** The time in ms without an event after which a reader switches to another process. */
const silenceTimeoutMs = 1_500
const retryDelayMs = 100
const defaultMaxAnswerMs = 90_000

/** Reads the events of a response to its end, or fails if the connection breaks or stays silent. */
async function* readEvents(response: Response, abort: AbortController) {
  const decoder = new TextDecoder()
  let incompleteBlock = ""
  const timer = setTimeout(() => abort.abort(), silenceTimeoutMs)
  try {
    for await (const bytes of response.body!) {
      incompleteBlock += decoder.decode(bytes, { stream: true })
      const blocks = incompleteBlock.split("\n\n")
      incompleteBlock = blocks.pop() ?? ""
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1]
        const id = field("id")
        if (id === undefined) continue
        timer.refresh()
        // The cast is safe, because the data of each event is an object.
        yield { id, kind: field("event") ?? "", data: JSON.parse(field("data") ?? "{}") as Record<string, unknown> }
      }
    }
  } finally {
    clearTimeout(timer)
  }
}

type Request = (path: string, init: RequestInit, abort: AbortController) => Promise<Response>

/** Cancels the answer of a conversation, and retries until the cancellation succeeds. */
const cancel = async (
  request: Request,
  headers: Readonly<Record<string, string>>,
  conversation: number,
  maxAnswerMs: number
) => {
  const deadline = performance.now() + maxAnswerMs
  while (performance.now() < deadline) {
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), 5_000)
    const response = await request(`cancel/${conversation}`, { method: "POST", headers }, abort).catch(() => null)
    clearTimeout(timer)
    if (response?.ok === true) return []
    if (response !== null && isServerFault(response.status)) {
      return [`cancelling the answer failed with the status ${response.status}: ${await response.text()}`]
    }
    await sleep(retryDelayMs)
  }
  return [`the answer could not be cancelled for ${maxAnswerMs} ms`]
}

/** Returns true for each 5xx status other than 503. Status 503 reports an outage, not a fault of the service. */
const isServerFault = (status: number): boolean => status >= 500 && status !== 503

export const askQuestion = async (
  { addresses, shouldCancel, key, maxAnswerMs = defaultMaxAnswerMs, question }: QuestionOptions
): Promise<AnswerResult> => {
  const startedAt = performance.now()
  const eventTimes = [startedAt]
  const findings: Array<string> = []
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const idempotencyKey = crypto.randomUUID()
  let [conversation, lastId, inProgressMs, addressIndex] = [0, "", 0, Math.floor(Math.random() * 16)]
  let inProgressSince: number | undefined
  let text = ""
  let cancellation: Promise<ReadonlyArray<string>> | undefined

  const request: Request = (path, init, abort) => {
    const allAddresses = addresses()
    if (allAddresses.length === 0) return Promise.reject(new Error("no process is listening"))
    return fetch(`${allAddresses[addressIndex++ % allAddresses.length]}/v1/agent/${path}`, {
      ...init,
      signal: abort.signal
    })
  }
  const openStream = (abort: AbortController) =>
    conversation === 0
      ? request("stream", {
        method: "POST",
        headers: { ...headers, "idempotency-key": idempotencyKey },
        body: JSON.stringify({ message: question })
      }, abort)
      : request(`resume/${conversation}`, { headers: { ...headers, "last-event-id": lastId } }, abort)
  while (performance.now() - startedAt < maxAnswerMs) {
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), silenceTimeoutMs)
    try {
      const response = await openStream(abort)
      clearTimeout(timer)
      if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
        const problem = await response.text()
        if (problem.includes("request_in_progress")) {
          inProgressMs = performance.now() - (inProgressSince ??= performance.now())
        } else if (isServerFault(response.status)) findings.push(`${response.status}: ${problem}`)
        else if (response.status === 402 || response.status === 429) throw new Error(problem)
      } else {
        for await (const { data, id, kind } of readEvents(response, abort)) {
          lastId = id
          eventTimes.push(performance.now())
          if (kind === "conversation") conversation = Number(data["conversation_id"])
          if (kind === "delta") text = text.slice(0, Number(data["offset"])) + String(data["text"])
          if (kind === "delta" && shouldCancel) {
            cancellation ??= cancel(
              request,
              headers,
              conversation,
              maxAnswerMs
            )
          }
          if (kind !== "done") continue
          const error = data["error"]
          return {
            eventTimes,
            inProgressMs,
            outcome: String(data["outcome"]),
            errorCode: typeof error === "object" && error !== null ? String(Reflect.get(error, "code")) : null,
            credits: Number(data["credits_used"]),
            hasText: text !== "",
            findings: [...findings, ...(await cancellation) ?? []]
          }
        }
      }
    } catch (cause) {
      if (cause instanceof Error && cause.message.includes("urn:tapeline")) throw cause
    } finally {
      clearTimeout(timer)
    }
    await sleep(retryDelayMs)
  }
  findings.push(`the answer to "${question}" did not end within ${maxAnswerMs} ms`)
  return { eventTimes, inProgressMs, outcome: "none", errorCode: null, credits: 0, hasText: text !== "", findings }
}
