import { type FakeReply, type FakeRequest, startFakeModel } from "@tapeline/testing/fakeModel"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { ProcessEnded } from "./WorkerProcess.ts"

export interface UpstreamRequest {
  readonly question: string
  readonly step: string
}

/**
 * A fake model that calls one tool, and a fake data source for the tool. The fake upstream keeps running when a tested
 * process ends.
 */
export interface FakeUpstream {
  readonly baseUrl: string
  readonly toolUrl: string
  /**
   * The number of requests for each step of each question. Each map key is a question and a step, separated by a space.
   */
  readonly requestCounts: ReadonlyMap<string, number>
  readonly repeatedRequests: ReadonlyArray<string>
  /**
   * The times at which frozen processes were resumed, in epoch ms by process id. Requests that a process sent before it
   * was resumed are not counted (decision 44).
   */
  readonly resumedAt: Map<number, number>
  /** The pause between two pieces of an answer, in ms. */
  pauseMs: number
  isStepStored: (upstreamRequest: UpstreamRequest) => Promise<boolean>
  readonly openRequests: () => number
  readonly close: () => Promise<void>
}

export const questionText = (name: string): string => `What is it? question-${name}.`

const answerPieces = ["It ", "is ", "forty", "-", "two ", "🚀."]
const answerOpening = "Let me look."

export const completeAnswer = `${answerOpening}\n\n${answerPieces.join("")}`

const messagesOf = ({ body }: FakeRequest): ReadonlyArray<{ readonly role?: unknown }> =>
  Array.isArray(body?.["messages"]) ? body["messages"] : []

/**
 * Returns the question of a request and the current step of the answer. Returns null for a request for suggested
 * questions.
 */
const parseRequest = (request: FakeRequest): UpstreamRequest | null => {
  if (!Array.isArray(request.body?.["tools"])) return null
  const messages = messagesOf(request)
  const last = messages.findLastIndex(({ role }) => role === "user")
  const results = messages.slice(last).filter(({ role }) => role === "tool").length
  const question = /question-(\w+)/.exec(JSON.stringify(messages[last]))?.[1] ?? "unknown"
  return { question, step: `step:${results + 1}` }
}

export const startFakeUpstream = async (): Promise<FakeUpstream> => {
  const requestCounts = new Map<string, number>()
  const repeatedRequests: Array<string> = []
  const resumedAt = new Map<number, number>()
  const wasInFlightDuringFreeze = ({ begun: startedAt, by: threadId }: Readonly<Record<string, unknown>>): boolean =>
    Number(startedAt) < (resumedAt.get(Number(threadId)) ?? 0)
  const recordRequest = async (upstreamRequest: UpstreamRequest) => {
    const name = `${upstreamRequest.question} ${upstreamRequest.step}`
    requestCounts.set(name, (requestCounts.get(name) ?? 0) + 1)
    try {
      if (await upstream.isStepStored(upstreamRequest)) repeatedRequests.push(name)
    } catch (cause) {
      // The process that stores the steps may also have ended, at its failpoint or at the end of the test.
      if (!(cause instanceof ProcessEnded)) repeatedRequests.push(`${name} could not be looked up: ${String(cause)}`)
    }
  }
  const respond = (request: FakeRequest): FakeReply => {
    const upstreamRequest = parseRequest(request)
    if (upstreamRequest === null) return { acts: [{ text: "And then?" }] }
    const awaitCue = `request ${request.n}`
    const recordedResult = wasInFlightDuringFreeze(request.headers) ? Promise.resolve() : recordRequest(upstreamRequest)
    void recordedResult.finally(() => model.cue(awaitCue))
    const pause = { pauseMs: upstream.pauseMs }
    return upstreamRequest.step === "step:1"
      ? {
        awaitCue,
        acts: [{ reasoning: "Hm." }, { text: answerOpening }, pause, {
          call: "look_up",
          arguments: { question: upstreamRequest.question }
        }]
      }
      : { awaitCue, acts: answerPieces.flatMap((text) => [{ text }, pause]) }
  }
  const model = await startFakeModel({ script: respond })
  const tool = createServer((request, response) => {
    if (wasInFlightDuringFreeze(request.headers)) return response.end("{}")
    const [, question = "", step = ""] = (request.url ?? "").split("/")
    void recordRequest({ question, step: decodeURIComponent(step) }).then(() => response.end("{}"))
  })
  tool.listen(0, "127.0.0.1")
  await once(tool, "listening")
  const upstream: FakeUpstream = {
    baseUrl: model.baseUrl,
    // The cast is safe, because a server that listens on TCP has an `AddressInfo`.
    toolUrl: `http://127.0.0.1:${(tool.address() as AddressInfo).port}`,
    requestCounts,
    repeatedRequests,
    resumedAt,
    pauseMs: 60,
    isStepStored: () => Promise.resolve(false),
    openRequests: () =>
      model.log().filter(({ body, closedAt }) => closedAt === null && Array.isArray(body?.["tools"])).length,
    close: async () => {
      await model.close()
      tool.closeAllConnections()
      tool.close()
    }
  }
  return upstream
}
