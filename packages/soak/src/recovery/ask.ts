import { setTimeout as sleep } from "node:timers/promises"

/** The answer to one question, as its reader received it. */
export interface Reading {
  /** When each new event arrived, by `performance.now()`: the first is the request, the last is `done`. */
  readonly progress: ReadonlyArray<number>
  /** How long requests with the idempotency key were rejected as in progress, in ms. */
  readonly refusedMs: number
  readonly outcome: string
  readonly errorCode: string | null
  readonly credits: number
  readonly hasText: boolean
  readonly findings: ReadonlyArray<string>
}

export interface Asking {
  /** The addresses of the listening processes. */
  readonly addresses: () => ReadonlyArray<string>
  readonly key: string
  readonly question: string
  /** Whether the reader cancels the answer after its first text. */
  readonly cancels: boolean
}

/** After this time without an event, a reader switches to another process, because its own may be frozen. */
const idleMs = 1_500
const pauseMs = 100
const longestMs = 90_000

/** Reads the events of one response until it ends. Fails if the connection breaks or stays silent. */
async function* eventsOf(response: Response, abort: AbortController) {
  const decoder = new TextDecoder()
  let rest = ""
  const timer = setTimeout(() => abort.abort(), idleMs)
  try {
    for await (const bytes of response.body!) {
      rest += decoder.decode(bytes, { stream: true })
      const blocks = rest.split("\n\n")
      rest = blocks.pop() ?? ""
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1]
        const id = field("id")
        if (id === undefined) continue
        timer.refresh()
        // The data of an event is an object.
        yield { id, kind: field("event") ?? "", data: JSON.parse(field("data") ?? "{}") as Record<string, unknown> }
      }
    }
  } finally {
    clearTimeout(timer)
  }
}

type Request = (path: string, init: RequestInit, abort: AbortController) => Promise<Response>

/** Cancels the answer of a conversation, and retries until that succeeds. */
const cancel = async (request: Request, headers: Readonly<Record<string, string>>, conversation: number) => {
  const deadline = performance.now() + longestMs
  while (performance.now() < deadline) {
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), 5_000)
    const response = await request(`cancel/${conversation}`, { method: "POST", headers }, abort).catch(() => null)
    clearTimeout(timer)
    if (response?.ok === true) return []
    if (response !== null && isFault(response.status)) {
      return [`a cancel got ${response.status}: ${await response.text()}`]
    }
    await sleep(pauseMs)
  }
  return [`a cancel failed for ${longestMs} ms`]
}

/** A 503 reports an outage. Other statuses from 500 on are faults of the service. */
const isFault = (status: number): boolean => status >= 500 && status !== 503

/** Sends a question and reads the answer to its end, from any process. */
export const ask = async ({ addresses, cancels, key, question }: Asking): Promise<Reading> => {
  const beganAt = performance.now()
  const progress = [beganAt]
  const findings: Array<string> = []
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const idempotencyKey = crypto.randomUUID()
  let [conversation, lastId, refusedMs, turn] = [0, "", 0, Math.floor(Math.random() * 16)]
  let refusedAt: number | undefined
  let text = ""
  let cancelled: Promise<ReadonlyArray<string>> | undefined

  const request: Request = (path, init, abort) => {
    const all = addresses()
    if (all.length === 0) return Promise.reject(new Error("no process listens"))
    return fetch(`${all[turn++ % all.length]}/v1/agent/${path}`, { ...init, signal: abort.signal })
  }
  const open = (abort: AbortController) =>
    conversation === 0
      ? request("stream", {
        method: "POST",
        headers: { ...headers, "idempotency-key": idempotencyKey },
        body: JSON.stringify({ message: question })
      }, abort)
      : request(`resume/${conversation}`, { headers: { ...headers, "last-event-id": lastId } }, abort)
  while (performance.now() - beganAt < longestMs) {
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), idleMs)
    try {
      const response = await open(abort)
      clearTimeout(timer)
      if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
        const problem = await response.text()
        if (problem.includes("request_in_progress")) refusedMs = performance.now() - (refusedAt ??= performance.now())
        else if (isFault(response.status)) findings.push(`${response.status}: ${problem}`)
        else if (response.status === 402 || response.status === 429) throw new Error(problem)
      } else {
        for await (const { data, id, kind } of eventsOf(response, abort)) {
          lastId = id
          progress.push(performance.now())
          if (kind === "conversation") conversation = Number(data["conversation_id"])
          if (kind === "delta") text = text.slice(0, Number(data["offset"])) + String(data["text"])
          if (kind === "delta" && cancels) cancelled ??= cancel(request, headers, conversation)
          if (kind !== "done") continue
          const error = data["error"]
          return {
            progress,
            refusedMs,
            outcome: String(data["outcome"]),
            errorCode: typeof error === "object" && error !== null ? String(Reflect.get(error, "code")) : null,
            credits: Number(data["credits_used"]),
            hasText: text !== "",
            findings: [...findings, ...(await cancelled) ?? []]
          }
        }
      }
    } catch (cause) {
      if (cause instanceof Error && cause.message.includes("urn:tapeline")) throw cause
    } finally {
      clearTimeout(timer)
    }
    await sleep(pauseMs)
  }
  findings.push(`no end of "${question}" within ${longestMs} ms`)
  return { progress, refusedMs, outcome: "none", errorCode: null, credits: 0, hasText: text !== "", findings }
}
