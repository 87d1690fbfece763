import {
  callPart,
  endPart,
  reasoningPart,
  ScriptedModel,
  textPart,
  waitForCue,
  waitForever
} from "@tapeline/testing/agent/ScriptedModel"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Latch } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createClientWithPlatform } from "../src/createClient.ts"
import { type AnswerEvent, type AnswerStream, applyEvent, type ClientSettings } from "../src/index.ts"
import { systemPlatform } from "../src/platform.ts"
import { type CutPlan, DisconnectingProxy } from "./support/DisconnectingProxy.ts"
import { type Service, startService, type testSpecifications } from "./support/service.ts"

const acceleratedPlatform = {
  ...systemPlatform,
  schedule: (ms: number, run: () => void) => systemPlatform.schedule(ms > 5000 ? ms : ms / 100, run)
}

interface Script {
  /**
   * The reasoning and the text of each model step. Every step except the last ends by waiting for a latch and calling a
   * tool.
   */
  readonly phases: ReadonlyArray<ReadonlyArray<{ readonly thought: string; readonly text: string }>>
  readonly latches: ReadonlyArray<Latch.Latch>
}
const scripts = new Map<string, Script>()

/** A model that plays the script stored for the question. Each phase of the script is one model step. */
const model = new ScriptedModel(({ brief: { question }, step }) => {
  if (question.startsWith("hang")) return [textPart("I begin: 시작 🚀"), waitForever]
  const { latches, phases } = scripts.get(question)!
  const parts = phases[step - 1]!.flatMap(({ text, thought }) => [reasoningPart(thought), textPart(text)])
  const latch = latches[step - 1]
  return latch === undefined
    ? [...parts, endPart]
    : [...parts, waitForCue(latch.await), callPart("test_price", { coin: "BTC" }), endPart]
})

let service: Service
let listener: Awaited<ReturnType<Service["listen"]>>
let proxy: DisconnectingProxy

beforeAll(async () => {
  service = await startService(model.layer)
  listener = await service.listen()
  proxy = await DisconnectingProxy.start()
  proxy.port = listener.port
})

afterAll(async () => {
  await proxy.close()
  await listener.stop()
  await service.dispose()
})

/**
 * Creates an account with two clients: one client whose connections the proxy cuts, and one client with direct
 * connections.
 */
const account = async (settings: Partial<ClientSettings> = {}, machine = acceleratedPlatform) => {
  const { key, revoke } = await service.createAccount()
  const direct = createClientWithPlatform<typeof testSpecifications>(acceleratedPlatform, {
    url: `http://127.0.0.1:${listener.port}`,
    key
  })
  return {
    client: createClientWithPlatform<typeof testSpecifications>(machine, { url: proxy.url, key, ...settings }),
    direct,
    revoke
  }
}

const read = async (stream: AnswerStream, onEvents: (events: ReadonlyArray<AnswerEvent>) => void = () => undefined) => {
  const events: Array<AnswerEvent> = []
  for await (const event of stream) {
    events.push(event)
    onEvents(events)
  }
  return events
}

const textOf = (events: ReadonlyArray<AnswerEvent>) => events.reduce(applyEvent, "")
const numbersOf = (events: ReadonlyArray<AnswerEvent>) => events.map(({ n }) => n)
const gapless = (events: ReadonlyArray<AnswerEvent>) => events.map((_, i) => i + 1)
const kindsOf = (events: ReadonlyArray<AnswerEvent>) => events.map(({ kind }) => kind)

const words = fc.string({
  unit: fc.constantFrom(
    "a",
    "b ",
    "한",
    "글",
    "🚀",
    "é",
    "\n",
    "\r\n",
    "\n\n",
    ":",
    "data: ",
    "id: 9-9",
    "\u2028",
    "щ"
  ),
  minLength: 1,
  maxLength: 12
})
const phase = fc.array(fc.record({ thought: words, text: words }), { minLength: 4, maxLength: 10 })
const cuts = isFullRun ? 50 : 12
const connectionPlans = fc.array(
  fc.record({
    bytes: fc.oneof(fc.integer({ min: 0, max: 800 }), fc.integer({ min: 600, max: 2400 })),
    end: fc.constantFrom("close" as const, "reset" as const)
  }),
  { minLength: cuts + 30, maxLength: cuts + 30 }
)

let runs = 0

/** Lengthens the phases of an answer so that the service sends at least `bytes` bytes, counted over all connections. */
const lengthen = (phases: Script["phases"], bytes: number): Script["phases"] => {
  const scriptBytes = phases.flat().reduce((sum, { text, thought }) => sum + Buffer.byteLength(text + thought), 0)
  const times = Math.ceil(bytes / scriptBytes)
  // The repeated text makes each event long, so that cuts occur within an event as well as between two events.
  const piece = (text: string) => text.repeat(Math.min(8, times))
  return phases.map((pairs) =>
    Array.from({ length: Math.ceil(times / 8) }, () => pairs).flat()
      .map(({ text, thought }) => ({ text: piece(text), thought: piece(thought) }))
  )
}

it(`an answer is complete after its connection is cut ${cuts} times at random bytes`, async () => {
  const property = fc.asyncProperty(
    fc.array(phase, { minLength: 3, maxLength: 5 }),
    connectionPlans,
    async (script, connectionPlans) => {
      const question = `cut ${++runs}`
      const phases = lengthen(script, connectionPlans.slice(0, cuts).reduce((sum, { bytes }) => sum + bytes, 0))
      const latches = phases.slice(1).map(() => Latch.makeUnsafe(false))
      scripts.set(question, { phases, latches })
      const upTo = phases.map((_, i) => phases.slice(0, i + 1).flat().map(({ text }) => text).join(""))
      proxy.requests = []
      proxy.cuts = 0
      const left: Array<CutPlan> = [...connectionPlans]
      // The first `cuts` connections are cut before the end of the answer. Later connections may be cut anywhere, even
      // after the last text.
      proxy.planCut = (line) => line.includes("/v1/agent/") ? left.shift() : undefined
      const { client, direct } = await account()
      const stream = client.agent.stream({ message: question })
      const events = await read(stream, () => {
        for (const [i, latch] of latches.entries()) if (stream.text.length >= upTo[i]!.length) latch.openUnsafe()
      })
      proxy.planCut = () => undefined
      expect(proxy.cuts).toBeGreaterThanOrEqual(cuts)
      const directEvents = await read(direct.agent.resume(stream.conversation_id!, { after: events[0]!.id }))
      expect(events.slice(1)).toEqual(directEvents)
      expect(numbersOf(events)).toEqual(gapless(events))
      expect(kindsOf(events).slice(-2)).toEqual(["done", "suggest"])
      const conversation = await client.conversations.read(stream.conversation_id!)
      const storedText = conversation.messages.at(-1)?.content
      expect(textOf(events)).toBe(storedText)
      expect(stream.text).toBe(storedText)
      // The service separates the texts of two model steps by whitespace.
      expect(storedText?.replaceAll(/\s/g, "")).toBe(upTo.at(-1)?.replaceAll(/\s/g, ""))
      expect(conversation.messages.length).toBe(2)
      expect((await client.usage()).credits.used).toBe(20)
    }
  )
  await fc.assert(property, { numRuns: isFullRun ? 30 : 2, endOnFailure: true })
}, isFullRun ? 600_000 : 120_000)

it("a question is charged once, whichever part of the response's beginning is lost", async () => {
  scripts.set("begin", { phases: [[{ thought: "hm", text: "All said: 다 말했다." }]], latches: [] })
  const byteCounts = [0, 1, 17, 200, 500]
  proxy.planCut = (line) => {
    const bytes = line.startsWith("POST") ? byteCounts.shift() : undefined
    return bytes === undefined ? undefined : { bytes, end: bytes % 2 === 0 ? "close" : "reset" }
  }
  const { client } = await account()
  const events = await read(client.agent.stream({ message: "begin" }))
  expect(byteCounts).toEqual([])
  expect(numbersOf(events)).toEqual(gapless(events))
  expect(textOf(events)).toBe("All said: 다 말했다.")
  expect((await client.usage()).credits.used).toBe(20)
  expect((await client.conversations.list()).conversations.length).toBe(1)
})

it("a connection that stalls without closing is replaced", async () => {
  proxy.planCut = (line) => line.startsWith("POST /v1/agent/stream") ? { bytes: 1200, end: "stall" } : undefined
  scripts.set("silent", {
    phases: [[{ thought: "a".repeat(400), text: "b".repeat(400) }, { thought: "c", text: "the end" }]],
    latches: []
  })
  const before = proxy.cuts
  const { client } = await account({ silence_ms: 300 }, systemPlatform)
  const events = await read(client.agent.stream({ message: "silent" }))
  expect(proxy.cuts).toBe(before + 1)
  expect(textOf(events)).toBe(`${"b".repeat(400)}the end`)
})

it("an answer resumes after the service restarts", async () => {
  proxy.planCut = () => undefined
  const latch = Latch.makeUnsafe(false)
  scripts.set("restart", {
    phases: [[{ thought: "1", text: "before " }], [{ thought: "2", text: "after" }]],
    latches: [latch]
  })
  const { client } = await account()
  const stream = client.agent.stream({ message: "restart" })
  const events: Array<AnswerEvent> = []
  while (stream.text === "") {
    const { done, value } = await stream.next()
    if (done !== true) events.push(value)
  }
  const rest = read(stream)
  const { stop } = listener
  proxy.port = undefined
  await stop()
  listener = await service.listen()
  const next = proxy.nextRequest
  proxy.port = listener.port
  await next
  await proxy.firstAnswerByte
  latch.openUnsafe()
  events.push(...await rest)
  expect(numbersOf(events)).toEqual(gapless(events))
  expect(textOf(events)).toBe("before \n\nafter")
})

/** Reads an answer until text arrives. Returns the events so far and the id of the conversation. */
const readUntilText = async (stream: AnswerStream) => {
  const events: Array<AnswerEvent> = []
  while (stream.text === "") {
    const { done, value } = await stream.next()
    if (done !== true) events.push(value)
  }
  return { events, conversation: stream.conversation_id! }
}

it.each([
  ["is delivered to its end", true],
  ["is read from its conversation after its events are deleted", false]
])("an answer that ends while the client is disconnected %s", async (_, isLogKept) => {
  proxy.planCut = () => undefined
  const latch = Latch.makeUnsafe(false)
  scripts.set("away", {
    phases: [[{ thought: "1", text: "seen, " }], [{ thought: "2", text: "and unseen" }]],
    latches: [latch]
  })
  const { client, direct } = await account()
  const stream = client.agent.stream({ message: "away" })
  const { conversation, events } = await readUntilText(stream)
  proxy.port = undefined
  proxy.disconnectAll()
  latch.openUnsafe()
  await read(direct.agent.resume(conversation))
  if (!isLogKept) await service.deleteLogs()
  proxy.port = listener.port
  const all = [...events, ...await read(stream)]
  expect(numbersOf(all).slice(0, events.length)).toEqual(gapless(events))
  if (isLogKept) expect(numbersOf(all)).toEqual(gapless(all))
  expect(kindsOf(all).slice(-2)).toEqual(isLogKept ? ["done", "suggest"] : [expect.anything(), "stored"])
  expect(stream.text).toBe("seen, \n\nand unseen")
})

it("a stream fails with InvalidKey after its key is revoked", async () => {
  proxy.planCut = () => undefined
  const { client, revoke } = await account()
  const stream = client.agent.stream({ message: "hang" })
  await readUntilText(stream)
  await revoke()
  proxy.disconnectAll()
  await expect(read(stream)).rejects.toMatchObject({ _tag: "InvalidKey", code: "invalid_key", status: 401 })
})

it("leaving a stream does not stop the answer; a cancel ends it and keeps its text", async () => {
  proxy.planCut = () => undefined
  const { client, direct } = await account()
  const controller = new AbortController()
  const first = client.agent.stream({ message: "hang" }, { signal: controller.signal })
  const { conversation } = await readUntilText(first)
  const waiting = first.next()
  controller.abort(new Error("enough"))
  await expect(waiting).rejects.toThrow("enough")
  const resumed = client.agent.resume(conversation)
  for await (const _ of resumed) if (resumed.text !== "") break
  await expect(client.agent.ask({ message: "and?", conversation_id: conversation })).rejects.toMatchObject({
    _tag: "GenerationRunning",
    ways_forward: ["resume", "cancel"]
  })
  const last = direct.agent.resume(conversation, { after: resumed.last_event_id })
  const rest = read(last)
  expect(await client.agent.cancel(conversation)).toEqual({ cancelled: true, running: false })
  expect(kindsOf(await rest).at(-1)).toBe("done")
  expect(await client.agent.cancel(conversation)).toEqual({ cancelled: false, running: false })
  const events = await read(client.agent.resume(conversation))
  expect(events).toMatchObject([{ kind: "stored", data: { message: { outcome: "cancelled", content: resumed.text } } }])
})

it("a call is charged once if its response is lost after the charge", async () => {
  const { client, direct } = await account()
  const byteCounts = [0, 5, 300, 600]
  proxy.planCut = () => {
    const bytes = byteCounts.shift()
    return bytes === undefined ? undefined : { bytes, end: "reset" }
  }
  const before = proxy.cuts
  const answer = await client.tools.test_price({ coin: "BTC" })
  expect(proxy.cuts).toBe(before + 4)
  expect(answer.data).toEqual({ coin: "BTC", price: 100_000 })
  expect(await direct.usage()).toMatchObject({
    credits: { used: 5, reserved: 0 },
    tools: [{ name: "test_price", calls: 1 }]
  })
  await client.tools.test_price({ coin: "BTC" })
  expect((await direct.usage()).credits.used).toBe(10)
})
