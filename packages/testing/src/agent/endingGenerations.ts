import { assert } from "@effect/vitest"
import {
  ConversationStore,
  type End,
  type Generation,
  GenerationLog,
  GenerationStore,
  type Transcript
} from "@tapeline/core/agent"
import { type Ending, LedgerStore } from "@tapeline/core/engine"
import { Effect, Exit } from "effect"
import {
  type AgentTests,
  answer,
  answered,
  begin,
  booksOf,
  delta,
  endOf,
  existing,
  fenceOf,
  minute,
  newAccount,
  price,
  question,
  reserved,
  stepOf,
  taken,
  wholeLog
} from "./fixtures.ts"
import type { Advance } from "./runningGenerations.ts"

const everything = { limit: 100, cursor: null }
const lastOf = (generation: number) =>
  Effect.map(Effect.flatMap(GenerationLog, (log) => wholeLog(log, generation)), ({ ended, events }) => ({
    ended,
    last: events.slice(-2).map(({ data, kind }) => ({ kind, data: JSON.parse(data) })),
    count: events.length
  }))

const endingUnderFence = (it: AgentTests): void => {
  it.effect("ends once: answer, charge, last event and row in one step, and the conversation is free", () =>
    Effect.gen(function*() {
      const [generations, conversations] = yield* Effect.all([GenerationStore, ConversationStore])
      const account = yield* newAccount
      const generation = yield* Effect.flatMap(begin(account), ({ id }) => taken(id))
      const { conversation, id } = generation
      yield* generations.append(fenceOf(generation), [delta("because")])
      const how = endOf(conversation, {
        answer: answer("because", { lang: "ko", charts: ["/charts/1"], tools: [{ name: "get_price", ok: false }] })
      })
      const ends = yield* Effect.forEach(
        Array.from({ length: 4 }),
        () => generations.end(fenceOf(generation), how),
        { concurrency: "unbounded" }
      )
      const [first, ...others] = ends.toSorted((a, b) => Number(b.held) - Number(a.held))
      assert.deepStrictEqual(others, others.map(() => ({ held: false, answer: null })))
      assert.isTrue(first!.held)
      const row = yield* generations.find(id)
      assert.deepStrictEqual([row?.state, row?.outcome, row?.answer, row?.epoch], [
        "closed",
        "finished",
        first!.answer!.id,
        1
      ])
      assert.isAtLeast(row!.endedAt!, row!.startedAt)
      const { items } = (yield* conversations.messages(account, conversation, everything))!
      assert.deepStrictEqual(items[1], first!.answer)
      assert.deepStrictEqual(first!.answer, {
        ...how.answer!,
        images: [],
        id: first!.answer!.id,
        createdAt: first!.answer!.createdAt
      })
      const found = yield* conversations.find(account, conversation)
      assert.deepStrictEqual([found?.running, found?.lang, found?.messageCount], [false, "ko", 2])
      assert.deepStrictEqual(yield* booksOf(account), { reserved: 0, used: price })
      const { count, ended, last } = yield* lastOf(id)
      assert.deepStrictEqual([count, ended, last[1]?.kind], [3, true, "done"])
      assert.deepInclude(last[1]?.data, { credits_used: price, credits_left: 1_000_000 - price })
      assert.isNull(yield* generations.running(account, conversation))
      assert.strictEqual((yield* answered(account, { place: existing(conversation) })).conversation, conversation)
    }))

  it.effect("a failed one is not charged; one without an answer keeps none", () =>
    Effect.gen(function*() {
      const account = yield* newAccount
      const { conversation, id, message } = yield* answered(account, {}, { outcome: "failed", answer: null })
      assert.isNull(message)
      assert.deepStrictEqual(yield* booksOf(account), { reserved: 0, used: 0 })
      const generation = yield* (yield* GenerationStore).find(id)
      assert.deepStrictEqual([generation?.outcome, generation?.answer], ["failed", null])
      assert.strictEqual((yield* (yield* ConversationStore).find(account, conversation))?.messageCount, 1)
    }))
}

const endingPaid = <R>(it: AgentTests<R>, advance: Advance<R>): void => {
  it.effect("tells the last events how the reservation ended, also when it had ended before", () =>
    Effect.gen(function*() {
      const account = yield* newAccount
      const told: Array<string> = []
      const how = {
        events: (ending: Ending) => {
          told.push(ending._tag === "AlreadyEnded" ? ending.how : ending._tag)
          return endOf(0).events(ending)
        }
      }
      const [generations, ledger] = yield* Effect.all([GenerationStore, LedgerStore])
      const begun = Effect.gen(function*() {
        const reservation = yield* reserved(account, { ttlMs: minute })
        return yield* Effect.flatMap(begin(account, { reservation, leaseMs: minute }), ({ id }) => taken(id))
      })
      const end = (generation: Generation) => generations.end(fenceOf(generation), endOf(generation.conversation, how))
      const released = yield* begun
      yield* ledger.end([{ reservation: released.reservation, outcome: { _tag: "Release" } }])
      yield* end(released)
      const lapsed = yield* begun
      yield* advance(2 * minute)
      const { answer } = yield* end(lapsed)
      assert.strictEqual(answer?.content, "because")
      assert.deepStrictEqual(told, ["released", "expired"])
      assert.strictEqual((yield* booksOf(account)).used, 0)
    }))
}

const endingWhole = <R>(it: AgentTests<R>, advance: Advance<R>): void => {
  for (
    const { charged, frozenMs } of [{ frozenMs: 5 * minute, charged: price }, { frozenMs: 7 * minute, charged: 0 }]
  ) {
    it.effect(`taken over from a process that stood still for ${frozenMs} ms it is charged ${charged}, once`, () =>
      Effect.gen(function*() {
        const [generations, ledger] = yield* Effect.all([GenerationStore, LedgerStore])
        const account = yield* newAccount
        const ttlMs = 6 * minute
        const frozen = yield* Effect.flatMap(
          begin(account, { reservation: yield* reserved(account, { ttlMs }) }),
          ({ id }) => taken(id)
        )
        yield* advance(frozenMs)
        const next = yield* generations.take(frozen.id, minute)
        assert(next !== null)
        // A lapsed reservation is not revived, because the account may have spent its credits meanwhile.
        assert.strictEqual(yield* ledger.renew(next.reservation, ttlMs), charged > 0)
        yield* advance(2 * minute)
        yield* ledger.expire(1_000)
        assert.isTrue((yield* generations.end(fenceOf(next), endOf(next.conversation))).held)
        assert.deepStrictEqual(yield* booksOf(account), { reserved: 0, used: charged })
        // The frozen runner continues and tries the same writes.
        assert.isFalse(yield* ledger.renew(frozen.reservation, ttlMs))
        assert.isFalse((yield* generations.end(fenceOf(frozen), endOf(frozen.conversation))).held)
        assert.deepStrictEqual(yield* booksOf(account), { reserved: 0, used: charged })
      }))
  }

  it.effect("an end that fails halfway leaves nothing of it", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const account = yield* newAccount
      const generation = yield* Effect.flatMap(begin(account), ({ id }) => taken(id))
      const before = yield* generations.find(generation.id)
      const broken = endOf(generation.conversation, {
        events: () => {
          throw new Error("no events")
        }
      })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(generations.end(fenceOf(generation), broken))))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(generations.endAnyway(generation.id, () => broken))))
      assert.deepStrictEqual(yield* generations.find(generation.id), before)
      assert.deepStrictEqual(yield* booksOf(account), { reserved: price, used: 0 })
      assert.deepStrictEqual((yield* lastOf(generation.id)).count, 1)
      assert.strictEqual((yield* (yield* ConversationStore).find(account, generation.conversation))?.messageCount, 1)
      assert.isTrue((yield* generations.end(fenceOf(generation), endOf(generation.conversation))).held)
      assert.deepStrictEqual(yield* booksOf(account), { reserved: 0, used: price })
    }))
}

const endingAnyway = (it: AgentTests): void => {
  it.effect("is ended by anybody, from what stands in the store, and its runner changes nothing more", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const account = yield* newAccount
      const generation = yield* Effect.flatMap(begin(account), ({ id }) => taken(id))
      const fence = fenceOf(generation)
      yield* generations.store(fence, [stepOf("step:1", { text: "be\u0000" })], [delta("be\uD83D")])
      const seen: Array<Transcript> = []
      const ended = yield* generations.endAnyway(generation.id, (transcript) => {
        seen.push(transcript)
        return endOf(generation.conversation, { outcome: "cancelled" })
      })
      assert.deepStrictEqual(seen.map(({ steps }) => steps), [[stepOf("step:1", { text: "be\u0000" })]])
      assert.deepStrictEqual(seen[0]!.events[1], delta("be\uD83D"))
      assert.strictEqual(seen[0]!.generation.nextN, 3)
      assert.deepStrictEqual([ended?.state, ended?.outcome, ended?.epoch], ["closed", "cancelled", 2])
      assert.deepStrictEqual(ended, yield* generations.find(generation.id))
      assert.isFalse(yield* generations.append(fence, [delta("more")]))
      assert.isFalse(yield* generations.append({ ...fence, epoch: 2 }, [delta("more")]))
      assert.isNull(yield* generations.take(generation.id, 0))
      assert.isNull(yield* generations.endAnyway(generation.id, () => endOf(generation.conversation)))
      assert.isNull(yield* generations.endAnyway(2 ** 40, () => endOf(generation.conversation)))
      assert.deepStrictEqual(yield* booksOf(account), { reserved: 0, used: price })
    }))

  it.effect("of ends, cancels, appends and takes that race, one ends it, and nothing comes after that", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const account = yield* newAccount
      for (let round = 0; round < 4; round++) {
        const generation = yield* Effect.flatMap(begin(account), ({ id }) => taken(id))
        const { conversation, id } = generation
        const fence = fenceOf(generation)
        const how: End = endOf(conversation)
        const came = yield* Effect.all([
          generations.append(fence, [delta("a")]),
          Effect.map(generations.end(fence, how), ({ held }) => held ? "end" : "none"),
          generations.append(fence, [delta("b")]),
          Effect.map(generations.endAnyway(id, () => how), (ended) => ended === null ? "none" : "end"),
          generations.take(id, 0),
          Effect.map(generations.endAnyway(id, () => how), (ended) => ended === null ? "none" : "end"),
          generations.append(fence, [delta("c")])
        ], { concurrency: "unbounded" })
        assert.strictEqual(came.filter((one) => one === "end").length, 1)
        const { ended, events } = yield* wholeLog(yield* GenerationLog, id)
        assert.deepStrictEqual(events.map(({ n }) => n), events.map((_, i) => i + 1))
        assert.deepStrictEqual(events.filter(({ kind }) => kind === "done"), events.slice(-1))
        assert.isTrue(ended)
        assert.deepStrictEqual(yield* booksOf(account), { reserved: 0, used: (round + 1) * price })
        const page = yield* (yield* ConversationStore).messages(account, conversation, everything)
        assert.deepStrictEqual(page?.items.map(({ role }) => role), ["user", "assistant"])
      }
    }))
}

const closing = <R>(it: AgentTests<R>, advance: Advance<R>): void => {
  it.effect("closes once, with questions that stand at the answer too", () =>
    Effect.gen(function*() {
      const [generations, conversations] = yield* Effect.all([GenerationStore, ConversationStore])
      const account = yield* newAccount
      const generation = yield* Effect.flatMap(begin(account), ({ id }) => taken(id))
      assert.isFalse(yield* generations.close(generation.id, ["and?"]))
      yield* generations.end(fenceOf(generation), endOf(generation.conversation, { open: true }))
      assert.isFalse((yield* lastOf(generation.id)).ended)
      const closes = yield* Effect.forEach([1, 2, 3], () => generations.close(generation.id, ["and?", "why?"]), {
        concurrency: "unbounded"
      })
      assert.strictEqual(closes.filter(Boolean).length, 1)
      const { ended, last } = yield* lastOf(generation.id)
      assert.deepStrictEqual([ended, last.map(({ kind }) => kind)], [true, ["done", "suggest"]])
      assert.deepStrictEqual(last[1]?.data, { questions: ["and?", "why?"] })
      const page = yield* conversations.messages(account, generation.conversation, everything)
      assert.deepStrictEqual(page?.items[1]?.suggestions, ["and?", "why?"])
      const quiet = yield* answered(account, {}, { open: true })
      assert.isTrue(yield* generations.close(quiet.id, []))
      assert.isTrue((yield* lastOf(quiet.id)).ended)
      assert.isFalse(yield* generations.close(2 ** 40, []))
    }))

  it.effect("is swept: closed, then without its log, then gone; what runs is not touched", () =>
    Effect.gen(function*() {
      const [generations, log] = yield* Effect.all([GenerationStore, GenerationLog])
      const account = yield* newAccount
      const times = { closeAfterMs: minute, keepLogsMs: 60 * minute, keepRowsMs: 24 * 60 * minute, limit: 10_000 }
      const open = yield* answered(account, { idempotencyKey: "k" }, { open: true })
      const runs = yield* Effect.flatMap(begin(account), ({ id }) => taken(id))
      yield* generations.store(fenceOf(runs), [stepOf("step:1")], [])
      yield* generations.sweep(times)
      assert.isFalse((yield* lastOf(open.id)).ended)
      yield* advance(2 * minute)
      assert.isAtLeast(yield* generations.sweep(times), 1)
      assert.deepInclude(yield* lastOf(open.id), { ended: true, count: 2 })
      yield* advance(60 * minute)
      assert.isAtLeast(yield* generations.sweep(times), 1)
      assert.deepStrictEqual(yield* log.read(open.id, 0, 10), { events: [], ended: true })
      assert.deepStrictEqual(yield* generations.steps(open.id), [])
      assert.strictEqual((yield* generations.byKey(account, "k"))?.id, open.id)
      yield* advance(24 * 60 * minute)
      assert.isAtLeast(yield* generations.sweep(times), 1)
      assert.isNull(yield* generations.find(open.id))
      assert.isNull(yield* generations.byKey(account, "k"))
      assert.strictEqual(yield* generations.sweep(times), 0)
      assert.deepStrictEqual([(yield* generations.find(runs.id))?.state, (yield* generations.steps(runs.id)).length], [
        "running",
        1
      ])
      const messages = yield* (yield* ConversationStore).messages(account, open.conversation, everything)
      assert.strictEqual(messages?.items.length, 2)
    }))

  it.effect("what it answers is still there when its conversation was removed in the meantime", () =>
    Effect.gen(function*() {
      const [generations, conversations, log] = yield* Effect.all([GenerationStore, ConversationStore, GenerationLog])
      const account = yield* newAccount
      const open = yield* answered(account, { question: question("secret") }, { open: true })
      assert.strictEqual(yield* conversations.remove(account, open.conversation), "removed")
      assert.deepStrictEqual(yield* log.read(open.id, 0, 10), { events: [], ended: true })
      assert.isTrue(yield* generations.close(open.id, ["and?"]))
      assert.deepStrictEqual(yield* log.read(open.id, 0, 10), { events: [], ended: true })
      assert.isNull(yield* conversations.messages(account, open.conversation, everything))
    }))
}

export const ending = <R>(it: AgentTests<R>, advance: Advance<R>): void => {
  endingUnderFence(it)
  endingPaid(it, advance)
  endingWhole(it, advance)
  endingAnyway(it)
  closing(it, advance)
}
