import { type FakeReply, type FakeRequest, startFakeModel } from "@tapeline/testing/fakeModel"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { ProcessGone } from "./Answerer.ts"

/** What of a question is asked for: a step of its model, or a call of its tool, as they are stored. */
export interface Errand {
  /** The question's name. */
  readonly question: string
  readonly step: string
}

/** The world outside, which outlives its askers: a model that calls one tool and then answers, and what it looks up. */
export interface Upstream {
  readonly baseUrl: string
  readonly toolUrl: string
  /** How often it was asked for each, under `question step`. */
  readonly asked: ReadonlyMap<string, number>
  /** What was asked for though it had been done. */
  readonly repeated: ReadonlyArray<string>
  /**
   * When processes that were frozen went on, by their ids (epoch ms): what one began before that and comes after it was
   * on its way when it was frozen, and counts for nothing (decision 44). What it begins afterwards counts.
   */
  readonly wentOn: Map<number, number>
  /** The time between two pieces of an answer. */
  pauseMs: number
  /** Whether something is stored as done; asked at each errand. */
  isDone: (errand: Errand) => Promise<boolean>
  /** How many requests for answers are open. */
  readonly open: () => number
  readonly close: () => Promise<void>
}

export const questionNamed = (name: string): string => `What is it? question-${name}.`

/** The pieces of the last answer. */
const pieces = ["It ", "is ", "forty", "-", "two ", "🚀."]
const opening = "Let me look."

/** What a whole answer is. */
export const wholeAnswer = `${opening}\n\n${pieces.join("")}`

const messagesOf = ({ body }: FakeRequest): ReadonlyArray<{ readonly role?: unknown }> =>
  Array.isArray(body?.["messages"]) ? body["messages"] : []

/** The last question of a request, and the number of the step that is asked for; null of suggestions. */
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
      // Who would know is gone as well, in a test of just that or at its end.
      if (!(cause instanceof ProcessGone)) repeated.push(`${name} could not be looked up: ${String(cause)}`)
    }
  }
  const reply = (request: FakeRequest): FakeReply => {
    const errand = errandOf(request)
    if (errand === null) return { acts: [{ text: "And then?" }] }
    // Nothing comes of this request before it is known what was stored when it was made.
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
    // An address of TCP, since it listens on one.
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
