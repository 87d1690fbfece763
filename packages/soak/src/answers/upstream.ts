import { type FakeReply, type FakeRequest, startFakeModel } from "@tapeline/testing/fakeModel"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { ProcessGone } from "./Answerer.ts"

/** A request to the upstream: a step of the model or a call of the tool, by its stored name. */
export interface Errand {
  /** The question's name. */
  readonly question: string
  readonly step: string
}

/**
 * The outside world, which outlives the processes: a model that calls one tool and then answers, and the tool's source.
 */
export interface Upstream {
  readonly baseUrl: string
  readonly toolUrl: string
  /** The number of requests, by `question step`. */
  readonly asked: ReadonlyMap<string, number>
  /** Requests whose result was already stored. */
  readonly repeated: ReadonlyArray<string>
  /**
   * The times (epoch ms) at which frozen processes continued, by process id. A request that began before this time and
   * arrives after it was in flight during the freeze, so it does not count (decision 44). Later requests count.
   */
  readonly wentOn: Map<number, number>
  /** The pause between two pieces of an answer. */
  pauseMs: number
  /** Whether a step is stored as done. Called at each request. */
  isDone: (errand: Errand) => Promise<boolean>
  /** The number of open requests for answers. */
  readonly open: () => number
  readonly close: () => Promise<void>
}

export const questionNamed = (name: string): string => `What is it? question-${name}.`

/** The pieces of the last answer. */
const pieces = ["It ", "is ", "forty", "-", "two ", "🚀."]
const opening = "Let me look."

/** The complete answer. */
export const wholeAnswer = `${opening}\n\n${pieces.join("")}`

const messagesOf = ({ body }: FakeRequest): ReadonlyArray<{ readonly role?: unknown }> =>
  Array.isArray(body?.["messages"]) ? body["messages"] : []

/** The last question of a request and its step. Null for requests of suggestions. */
const errandOf = (request: FakeRequest): Errand | null => {
  if (!Array.isArray(request.body?.["tools"])) return null
  const messages = messagesOf(request)
  const last = messages.findLastIndex(({ role }) => role === "user")
  const results = messages.slice(last).filter(({ role }) => role === "tool").length
  const question = /question-(\w+)/.exec(JSON.stringify(messages[last]))?.[1] ?? "unknown"
  return { question, step: `step:${results + 1}` }
}

export const startUpstream = async (): Promise<Upstream> => {
  const asked = new Map<string, number>()
  const repeated: Array<string> = []
  const wentOn = new Map<number, number>()
  const stoodStill = ({ begun, by }: Readonly<Record<string, unknown>>): boolean =>
    Number(begun) < (wentOn.get(Number(by)) ?? 0)
  const note = async (errand: Errand) => {
    const name = `${errand.question} ${errand.step}`
    asked.set(name, (asked.get(name) ?? 0) + 1)
    try {
      if (await upstream.isDone(errand)) repeated.push(name)
    } catch (cause) {
      // The process that would know can be gone too, in a test of that case or at its end.
      if (!(cause instanceof ProcessGone)) repeated.push(`${name} could not be looked up: ${String(cause)}`)
    }
  }
  const reply = (request: FakeRequest): FakeReply => {
    const errand = errandOf(request)
    if (errand === null) return { acts: [{ text: "And then?" }] }
    // Sends nothing until the check of stored steps has finished.
    const awaitCue = `request ${request.n}`
    const noted = stoodStill(request.headers) ? Promise.resolve() : note(errand)
    void noted.finally(() => model.cue(awaitCue))
    const pause = { pauseMs: upstream.pauseMs }
    return errand.step === "step:1"
      ? {
        awaitCue,
        acts: [{ reasoning: "Hm." }, { text: opening }, pause, {
          call: "look_up",
          arguments: { question: errand.question }
        }]
      }
      : { awaitCue, acts: pieces.flatMap((text) => [{ text }, pause]) }
  }
  const model = await startFakeModel({ script: reply })
  const tool = createServer((request, response) => {
    if (stoodStill(request.headers)) return response.end("{}")
    // `/question/call:1.1`
    const [, question = "", step = ""] = (request.url ?? "").split("/")
    void note({ question, step: decodeURIComponent(step) }).then(() => response.end("{}"))
  })
  tool.listen(0, "127.0.0.1")
  await once(tool, "listening")
  const upstream: Upstream = {
    baseUrl: model.baseUrl,
    // The server listens on TCP, so its address is an `AddressInfo`.
    toolUrl: `http://127.0.0.1:${(tool.address() as AddressInfo).port}`,
    asked,
    repeated,
    wentOn,
    pauseMs: 60,
    isDone: () => Promise.resolve(false),
    open: () => model.log().filter(({ body, closedAt }) => closedAt === null && Array.isArray(body?.["tools"])).length,
    close: async () => {
      await model.close()
      tool.closeAllConnections()
      tool.close()
    }
  }
  return upstream
}
