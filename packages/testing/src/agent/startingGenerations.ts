import { assert } from "@effect/vitest"
import { allScopes } from "@tapeline/core"
import { ConversationStore, type End, GenerationLog, GenerationStore } from "@tapeline/core/agent"
import { LedgerStore } from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  again,
  type AgentTests,
  answered,
  ask,
  begin,
  delta,
  endOf,
  existing,
  fenceOf,
  minute,
  newAccount,
  question,
  reserved,
  saidIn,
  startRequest,
  stepOf,
  taken,
  wholeLog
} from "./fixtures.ts"

const everything = { limit: 100, cursor: null, scopes: allScopes }

const talk = (account: number, conversation: number) =>
  Effect.gen(function*() {
    const page = yield* (yield* ConversationStore).messages(account, conversation, everything)
    return page?.items.map(saidIn)
  })

const startingOnce = (it: AgentTests): void => {
  it.effect("starts in one step: conversation, question, row, and the first event", () =>
    Effect.gen(function*() {
      const [generations, conversations, log] = yield* Effect.all([GenerationStore, ConversationStore, GenerationLog])
      const account = yield* newAccount
      const reservation = yield* reserved(account)
      const request = startRequest(account, reservation, { idempotencyKey: "one" })
      const start = yield* generations.start(request)
      assert(start._tag === "Started")
      const { generation } = start
      assert.deepStrictEqual(generation, {
        id: generation.id,
        account,
        conversation: generation.conversation,
        question: generation.question,
        brief: { ...request.brief, mode: "analyst", replaces: null },
        reservation,
        state: "running",
        epoch: 0,
        nextN: 2,
        startedAt: generation.startedAt,
        renewedAt: generation.startedAt,
        endedAt: null,
        outcome: null,
        answer: null
      })
      assert.deepStrictEqual(yield* generations.find(generation.id), generation)
      assert.deepStrictEqual(yield* generations.byKey(account, "one"), generation)
      assert.deepStrictEqual(yield* generations.running(account, generation.conversation), generation)
      const conversation = yield* conversations.find(account, generation.conversation)
      assert.deepStrictEqual(conversation, {
        id: generation.conversation,
        account,
        title: "title",
        mode: "analyst",
        lang: "en",
        createdAt: generation.startedAt,
        updatedAt: generation.startedAt,
        messageCount: 1,
        running: true,
        scopes: []
      })
      assert.deepStrictEqual(yield* talk(account, conversation!.id), ["user: why?"])
      const data = `{"conversation_id":${conversation!.id},"lang":"en","mode":"analyst"}`
      assert.deepStrictEqual(yield* wholeLog(log, generation.id), {
        events: [{ n: 1, kind: "conversation", data }],
        ended: false
      })
      assert.deepStrictEqual(yield* generations.steps(generation.id), [])
    }))
}

const startingTwice = (it: AgentTests): void => {
  it.effect("attaches a repeat to what was started before, and to nobody else's", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const [account, other] = [yield* newAccount, yield* newAccount]
      const reservation = yield* reserved(account, { key: "k" })
      const request = startRequest(account, reservation, { idempotencyKey: "k" })
      const starts = yield* Effect.forEach(Array.from({ length: 6 }), () => generations.start(request), {
        concurrency: "unbounded"
      })
      const started = starts.filter(({ _tag }) => _tag === "Started")
      assert.deepStrictEqual([started.length, starts.filter(({ _tag }) => _tag === "Attached").length], [1, 5])
      const [first] = started
      assert(first?._tag === "Started")
      for (const start of starts) {
        assert(
          "generation" in start && typeof start.generation === "object"
            && start.generation.id === first.generation.id
        )
      }
      const list = yield* (yield* ConversationStore).list(account, everything)
      assert.deepStrictEqual(list.items.map(({ id, messageCount }) => [id, messageCount]), [
        [first.generation.conversation, 1]
      ])
      assert.strictEqual((yield* generations.byKey(account, "k"))?.id, first.generation.id)
      assert.isNull(yield* generations.byKey(other, "k"))
      assert.isNull(yield* generations.byKey(account, "K"))
      assert.isNull(yield* generations.running(other, first.generation.conversation))
    }))

  it.effect("attaches to one that finished, and starts anew after one that did not", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const account = yield* newAccount
      for (const outcome of ["failed", "cancelled", "finished"] as const) {
        const idempotencyKey = `k-${outcome}`
        const settlement: End["settlement"] = outcome === "finished"
          ? { _tag: "Settle", answer: null }
          : { _tag: "Release" }
        const first = yield* reserved(account, { key: idempotencyKey })
        const { id } = yield* answered(account, { reservation: first, idempotencyKey }, { outcome, settlement })
        // The key of a finished answer cannot be reserved again.
        const reservation = outcome === "finished" ? first : yield* reserved(account, { key: idempotencyKey })
        const start = yield* ask(account, { reservation, idempotencyKey })
        assert.strictEqual(start._tag, outcome === "finished" ? "Attached" : "Started")
        assert("generation" in start && typeof start.generation === "object")
        assert.strictEqual(start.generation.id === id, outcome === "finished")
        assert.strictEqual((yield* generations.byKey(account, `k-${outcome}`))?.id, start.generation.id)
      }
    }))

  it.effect("makes no write twice that says which number comes next", () =>
    Effect.gen(function*() {
      const [generations, log] = yield* Effect.all([GenerationStore, GenerationLog])
      const generation = yield* Effect.flatMap(begin(yield* newAccount), ({ id }) => taken(id))
      const fence = { ...fenceOf(generation), nextN: generation.nextN }
      const write = generations.store(fence, [stepOf("step:1")], [delta("a"), delta("b", 1)])
      assert.isTrue(yield* write)
      assert.isFalse(yield* write)
      assert.isFalse(yield* generations.append(fence, [delta("c")]))
      assert.isFalse((yield* generations.end(fence, endOf(generation.conversation))).held)
      assert.isTrue(yield* generations.append({ ...fence, nextN: fence.nextN + 2 }, [delta("c")]))
      assert.isTrue(yield* generations.renew(fenceOf(generation)))
      assert.strictEqual((yield* wholeLog(log, generation.id)).events.length, 4)
    }))
}

const startingPaid = (it: AgentTests): void => {
  it.effect("extends the reservation, and starts nothing if the reservation has ended or lapsed", () =>
    Effect.gen(function*() {
      const [generations, ledger] = yield* Effect.all([GenerationStore, LedgerStore])
      const account = yield* newAccount
      const reservation = yield* reserved(account, { key: "k", ttlMs: minute })
      const start = yield* ask(account, { reservation, leaseMs: 3 * minute })
      assert(start._tag === "Started")
      const found = yield* ledger.recall(account, { key: "k", fingerprint: "f", retainMs: minute })
      assert(found?._tag === "InProgress")
      assert.isAbove(found.lapsesInMs, 2 * minute)
      const ended = yield* reserved(account)
      yield* ledger.end([{ reservation: ended, outcome: { _tag: "Release" } }])
      const lapsed = yield* reserved(account, { ttlMs: -1 })
      const { conversation } = yield* answered(account)
      for (const reservation of [ended, lapsed]) {
        assert.deepStrictEqual(yield* ask(account, { reservation }), { _tag: "Lapsed" })
        assert.deepStrictEqual(yield* ask(account, { reservation, place: existing(conversation) }), { _tag: "Lapsed" })
      }
      const { items } = yield* (yield* ConversationStore).list(account, everything)
      assert.sameMembers(items.map(({ id }) => id), [conversation, start.generation.conversation])
      assert.isNull(yield* generations.running(account, conversation))
    }))
}

const startingAmongOthers = (it: AgentTests): void => {
  it.effect("says why it does not start, and changes nothing then", () =>
    Effect.gen(function*() {
      const [account, other] = [yield* newAccount, yield* newAccount]
      const conversations = yield* ConversationStore
      const { conversation, id } = yield* begin(account)
      const before = yield* conversations.find(account, conversation)
      assert.deepStrictEqual(yield* ask(account, { place: existing(conversation) }), { _tag: "Busy", generation: id })
      assert.deepStrictEqual(yield* ask(account, { place: again(conversation), question: null }), {
        _tag: "Busy",
        generation: id
      })
      for (const strange of [999_999_999, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
        assert.deepStrictEqual(yield* ask(account, { place: existing(strange) }), { _tag: "NoConversation" })
        assert.deepStrictEqual(yield* ask(account, { place: again(strange), question: null }), {
          _tag: "NoConversation"
        })
      }
      assert.deepStrictEqual(yield* ask(other, { place: existing(conversation) }), { _tag: "NoConversation" })
      assert.deepStrictEqual(yield* conversations.find(account, conversation), before)
      const idle = yield* answered(account)
      const mentor = { _tag: "Existing", conversation: idle.conversation, mode: "mentor" } as const
      assert.deepStrictEqual(yield* ask(account, { place: mentor }), { _tag: "OtherMode", mode: "analyst" })
      const same = yield* begin(account, { place: { ...mentor, mode: "analyst" } })
      assert.strictEqual(same.conversation, idle.conversation)
    }))

  it.effect("of many that ask in one conversation at once, one is answered", () =>
    Effect.gen(function*() {
      const account = yield* newAccount
      const { conversation } = yield* answered(account)
      const starts = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, i) => i),
        (i) => ask(account, { place: existing(conversation), question: question(`again ${i}`) }),
        { concurrency: "unbounded" }
      )
      const [started, ...others] = starts.toSorted((a, b) => a._tag < b._tag ? 1 : -1)
      assert(started?._tag === "Started")
      assert.deepStrictEqual(others, others.map(() => ({ _tag: "Busy", generation: started.generation.id })))
      assert.strictEqual((yield* talk(account, conversation))?.length, 3)
    }))
}

const startingAgain = (it: AgentTests): void => {
  it.effect("asks the last question again, and replaces its answer once the new one has finished", () =>
    Effect.gen(function*() {
      const account = yield* newAccount
      const first = yield* answered(account, {}, { answer: null, outcome: "failed" })
      const { conversation } = first
      // There is no answer to replace.
      const second = yield* answered(account, { place: again(conversation), question: null })
      assert.deepStrictEqual([second.question, second.brief.replaces], [first.question, null])
      assert.deepStrictEqual(yield* talk(account, conversation), ["user: why?", "assistant: because"])
      for (const outcome of ["cancelled", "failed"] as const) {
        const third = yield* answered(account, { place: again(conversation), question: null }, { outcome })
        assert.deepStrictEqual([third.brief.replaces, third.message], [second.message!.id, null])
        assert.deepStrictEqual(yield* talk(account, conversation), ["user: why?", "assistant: because"])
      }
      const better = { answer: { ...second.message!, content: "better", images: [] } }
      const fourth = yield* answered(account, { place: again(conversation), question: null }, better)
      assert.strictEqual(fourth.brief.replaces, second.message!.id)
      assert.deepStrictEqual(yield* talk(account, conversation), ["user: why?", "assistant: better"])
      assert.strictEqual((yield* (yield* ConversationStore).find(account, conversation))?.messageCount, 2)
    }))
}

export const starting = (it: AgentTests): void => {
  startingOnce(it)
  startingTwice(it)
  startingPaid(it)
  startingAmongOthers(it)
  startingAgain(it)
}
