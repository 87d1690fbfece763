import { assert } from "@effect/vitest"
import { allScopes, type Scope } from "@tapeline/core"
import { type ConversationPage, ConversationStore, GenerationStore, type KeptImage } from "@tapeline/core/agent"
import type { StoreUnavailable } from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  again,
  type AgentTests,
  answer,
  answered,
  ask,
  begin,
  endOf,
  existing,
  newAccount,
  question,
  report,
  saidIn,
  taken
} from "./fixtures.ts"

const everything = { limit: 100, cursor: null, scopes: allScopes }

/** Reads all pages. */
const paged = <A, E, R>(
  page: (cursor: string | null) => Effect.Effect<ConversationPage<A>, E, R>,
  between: Effect.Effect<unknown, E, R> = Effect.void
) =>
  Effect.gen(function*() {
    const found: Array<A> = []
    let cursor: string | null = null
    do {
      const { items, next }: ConversationPage<A> = yield* page(cursor)
      found.push(...items)
      cursor = next
      yield* between
    } while (cursor !== null)
    return found
  })

const strangeCursors = [
  "",
  "x",
  "-1",
  "1.2.3",
  "zzzzzzzzzzz.1",
  "1.zzzzzzzzzzz",
  "\u0000",
  "🙂",
  "%",
  "a".repeat(10_000)
]

const paging = (it: AgentTests): void => {
  it.effect("lists the one in which something was said last first, in pages that stand still", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const made = yield* Effect.forEach(Array.from({ length: 7 }), () => begin(account))
      const ids = made.map(({ conversation }) => conversation)
      const list = (limit: number) => (cursor: string | null) =>
        conversations.list(account, { limit, cursor, scopes: allScopes })
      const inOrder = (yield* conversations.list(account, everything)).items
      assert.deepStrictEqual(inOrder.map(({ id }) => id).toSorted((a, b) => a - b), ids)
      inOrder.slice(1).forEach((one, i) => {
        const before = inOrder[i]!
        assert.isTrue(before.updatedAt > one.updatedAt || (before.updatedAt === one.updatedAt && before.id > one.id))
      })
      for (const limit of [1, 2, 3, 7]) assert.deepStrictEqual(yield* paged(list(limit)), inOrder)
      const known = new Set(ids)
      const seen = yield* paged(list(2), begin(account))
      assert.deepStrictEqual(seen.filter(({ id }) => known.has(id)), inOrder)
      for (const cursor of strangeCursors) {
        const page = yield* conversations.list(account, { limit: 5, cursor, scopes: allScopes })
        assert.deepStrictEqual(page.next === null ? page : { ...page, items: [] }, { items: [], next: null }, cursor)
      }
      assert.deepStrictEqual(yield* conversations.list(yield* newAccount, everything), { items: [], next: null })
    }))

  it.effect("tells what was said, oldest first, in pages that miss and repeat nothing", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const { conversation } = yield* answered(account)
      for (let i = 0; i < 5; i++) yield* conversations.report(account, conversation, `t${i}`, report(`fired ${i}`))
      const messages = (limit: number) => (cursor: string | null) =>
        Effect.map(conversations.messages(account, conversation, { limit, cursor }), (page) => page!)
      const all = yield* paged(messages(100))
      assert.deepStrictEqual(all.map(saidIn), [
        "user: why?",
        "assistant: because",
        ...[0, 1, 2, 3, 4].map((i) => `task: fired ${i}`)
      ])
      for (const limit of [1, 3, 7]) assert.deepStrictEqual(yield* paged(messages(limit)), all)
      let more = 0
      const seen = yield* paged(
        messages(2),
        Effect.suspend((): Effect.Effect<unknown, StoreUnavailable> =>
          ++more > 3 ? Effect.succeed(null) : conversations.report(account, conversation, `more${more}`, report("more"))
        )
      )
      assert.deepStrictEqual(seen.slice(0, 7), all)
      assert.deepStrictEqual(seen.length, 10)
      for (const cursor of strangeCursors.filter((one) => one !== "x")) {
        const page = yield* conversations.messages(account, conversation, { limit: 5, cursor })
        assert.deepStrictEqual(page, { items: [], next: null }, cursor)
      }
    }))
}

const backwards = (it: AgentTests): void => {
  it.effect("tells what was said newest first too, in pages that what is said meanwhile does not move", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const { conversation } = yield* answered(account)
      for (let i = 0; i < 5; i++) yield* conversations.report(account, conversation, `t${i}`, report(`fired ${i}`))
      const { items: oldestFirst } = (yield* conversations.messages(account, conversation, everything))!
      const page = (limit: number) => (cursor: string | null) =>
        Effect.map(
          conversations.messages(account, conversation, { limit, cursor, order: "newest" }),
          (page) => page!
        )
      const all = oldestFirst.toReversed()
      for (const limit of [1, 3, 7, 100]) assert.deepStrictEqual(yield* paged(page(limit)), all)
      let late = 0
      const seen = yield* paged(
        page(2),
        Effect.suspend(() => conversations.report(account, conversation, `late${++late}`, report("late")))
      )
      assert.deepStrictEqual(seen, all)
      for (const cursor of strangeCursors.filter((one) => one !== "x")) {
        const strange = yield* conversations.messages(account, conversation, { limit: 5, cursor, order: "newest" })
        assert.deepStrictEqual(strange, { items: [], next: null }, cursor)
      }
      const other = yield* newAccount
      assert.isNull(yield* conversations.messages(other, conversation, { ...everything, order: "newest" }))
    }))
}

const remembering = (it: AgentTests): void => {
  it.effect("reminds of the newest messages after the summary, without the answer that was replaced", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const first = yield* answered(account)
      const { conversation } = first
      const second = yield* answered(account, { place: existing(conversation), question: question("and?") })
      yield* answered(account, { place: again(conversation), question: null }, { answer: answer("better") })
      const memory = (upTo: number | null, limit: number) =>
        Effect.map(conversations.memory(account, conversation, { upTo, limit }), (found) => ({
          summary: found!.summary,
          said: found!.messages.map(saidIn)
        }))
      const said = ["user: why?", "assistant: because", "user: and?", "assistant: better"]
      assert.deepStrictEqual(yield* memory(null, 100), { summary: null, said })
      assert.deepStrictEqual(yield* memory(null, 2), { summary: null, said: said.slice(2) })
      assert.deepStrictEqual(yield* memory(second.question, 2), { summary: null, said: said.slice(1, 3) })
      const summary = { upTo: first.message!.id, text: "so far\u0000 👍" }
      yield* conversations.summarise(account, conversation, summary)
      assert.deepStrictEqual(yield* memory(null, 100), { summary, said: said.slice(2) })
      yield* conversations.summarise(account, conversation, { upTo: first.question, text: "less" })
      yield* conversations.summarise(account, conversation, { ...summary, text: "of one who comes late" })
      assert.deepStrictEqual((yield* memory(null, 1)).summary, summary)
      const further = { upTo: second.question, text: "more" }
      yield* conversations.summarise(account, conversation, further)
      assert.deepStrictEqual(yield* memory(null, 100), { summary: further, said: said.slice(3) })
      assert.deepStrictEqual(yield* memory(first.question, 100), { summary: further, said: [] })
    }))

  it.effect("adds a task's report once under one identity, however many add it", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const [{ conversation }, other] = [yield* answered(account), yield* answered(account)]
      const came = yield* Effect.forEach(
        [1, 2, 3, 4],
        (i) => conversations.report(account, conversation, "task:7", report(`fired ${i}`)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(came, came.map(() => came[0]!))
      assert.strictEqual((yield* conversations.find(account, conversation))?.messageCount, 3)
      const elsewhere = yield* conversations.report(account, other.conversation, "task:7", report("there"))
      assert.strictEqual(elsewhere?.content, "there")
      const late = yield* conversations.report(account, conversation, "task:7", report("late"))
      assert.deepStrictEqual(late, came[0]!)
      assert.isNull(yield* conversations.report(account, 2 ** 40, "task:7", report("nowhere")))
    }))
}

const picture = (size: number, seed: number): KeptImage => {
  const bytes = new Uint8Array(size)
  for (let i = 0; i < size; i++) bytes[i] = (i * 31 + seed + (i >> 8)) & 255
  return { mediaType: seed % 2 === 0 ? "image/png" : "image/jpeg", width: seed + 1, height: 2, bytes }
}

const keepingImages = (it: AgentTests): void => {
  it.effect("keeps images to the byte, of every length up to 20 MiB, and texts of every kind", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const sizes = [0, 1, 1_048_575, 1_048_576, 1_048_577, 20 * 1_048_576]
      const images = sizes.map(picture)
      const content = `${"김".repeat(31_990)}\u0000\uD83D👍`
      const asked = yield* begin(account, {
        question: question(content, images),
        place: { _tag: "New", title: "\u0000👍\uDE00", mode: "mentor" }
      })
      const kept = yield* conversations.images(account, asked.question)
      assert.deepStrictEqual(kept.map(({ bytes: _, ...note }) => note), images.map(({ bytes: _, ...note }) => note))
      kept.forEach(({ bytes }, i) => assert.isTrue(Buffer.from(bytes).equals(images[i]!.bytes), `${sizes[i]}`))
      const page = yield* conversations.messages(account, asked.conversation, everything)
      assert.strictEqual(page?.items[0]?.content, content)
      assert.deepStrictEqual(
        page?.items[0]?.images,
        images.map(({ bytes, ...note }) => ({ ...note, bytes: bytes.length }))
      )
      assert.strictEqual((yield* conversations.find(account, asked.conversation))?.title, "\u0000👍\uDE00")
      assert.deepStrictEqual(yield* conversations.images(yield* newAccount, asked.question), [])
      const long = answer("👍".repeat(65_536))
      const told = yield* answered(account, {}, { answer: long })
      assert.strictEqual(told.message?.content, long.content)
      assert.deepStrictEqual(yield* conversations.images(account, told.message!.id), [])
    }))
}

const usingScopes = (it: AgentTests): void => {
  it.effect("lists and continues a conversation only with each scope that it used", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const [account, other] = [yield* newAccount, yield* newAccount]
      const { conversation: market } = yield* answered(account)
      const { conversation: personal } = yield* answered(account)
      yield* conversations.addScope(other, personal, "write:personal")
      for (const scope of ["read:personal", "write:personal", "read:personal"] as const) {
        yield* conversations.addScope(account, personal, scope)
      }
      yield* conversations.addScope(account, 2 ** 40, "read:personal")
      assert.deepStrictEqual((yield* conversations.find(account, market))?.scopes, [])
      assert.deepStrictEqual((yield* conversations.find(account, personal))?.scopes, [
        "read:personal",
        "write:personal"
      ])
      const idsWith = (scopes: ReadonlyArray<Scope>) =>
        Effect.map(
          conversations.list(account, { limit: 1, cursor: null, scopes }),
          ({ items, next }) => [items.map(({ id }) => id), next === null]
        )
      for (const few of [[], ["agent:chat"], ["read:personal"], ["write:personal"]] as const) {
        assert.deepStrictEqual(yield* idsWith(few), [[market], true])
        const start = yield* ask(account, { place: existing(personal), readable: few })
        assert.strictEqual(start._tag, "NoConversation")
      }
      assert.deepStrictEqual(yield* idsWith(["write:personal", "read:personal"]), [[personal], false])
      yield* begin(account, { place: existing(personal), readable: ["write:personal", "read:personal"] })
    }))

  it.effect("gives a conversation the scopes of a question with the question", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const { conversation, id } = yield* begin(account, { uses: ["write:personal"] })
      const scopesOf = Effect.map(conversations.find(account, conversation), (found) => found?.scopes)
      assert.deepStrictEqual(yield* scopesOf, ["write:personal"])
      const busy = yield* ask(account, { place: existing(conversation), uses: ["read:personal"] })
      assert.deepStrictEqual([busy._tag, yield* scopesOf], ["Busy", ["write:personal"]])
      const { epoch } = yield* taken(id)
      yield* (yield* GenerationStore).end({ generation: id, epoch }, endOf(conversation))
      yield* begin(account, { place: existing(conversation), uses: ["read:personal", "write:personal"] })
      assert.deepStrictEqual(yield* scopesOf, ["write:personal", "read:personal"])
    }))

  it.effect("gives a conversation the scope of tasks with a report", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const { conversation } = yield* answered(account)
      for (const identity of ["t1", "t1", "t2"]) {
        yield* conversations.report(account, conversation, identity, report("fired"))
        assert.deepStrictEqual((yield* conversations.find(account, conversation))?.scopes, ["read:personal"])
      }
    }))
}

const belonging = (it: AgentTests): void => {
  it.effect("tells another account what it tells of what never was, and lets it change nothing", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const [account, other] = [yield* newAccount, yield* newAccount]
      const { conversation, question: asked } = yield* answered(account, {
        question: question("why?", [picture(10, 0)])
      })
      const before = yield* conversations.find(account, conversation)
      for (const id of [conversation, 2 ** 40, 0, -1, Number.MAX_SAFE_INTEGER]) {
        assert.isNull(yield* conversations.find(other, id))
        assert.isNull(yield* conversations.messages(other, id, everything))
        assert.isNull(yield* conversations.memory(other, id, { upTo: null, limit: 10 }))
        assert.isNull(yield* conversations.report(other, id, "t", report("fired")))
        assert.strictEqual(yield* conversations.remove(other, id), "absent")
        yield* conversations.summarise(other, id, { upTo: 2 ** 50, text: "mine" })
      }
      assert.deepStrictEqual(yield* conversations.images(other, asked), [])
      assert.deepStrictEqual(yield* conversations.find(account, conversation), before)
      const found = yield* conversations.memory(account, conversation, { upTo: null, limit: 10 })
      assert.deepStrictEqual([found?.summary, found?.messages.length], [null, 2])
    }))

  it.effect("is removed with all that was said in it, unless it is being answered", () =>
    Effect.gen(function*() {
      const [conversations, generations] = yield* Effect.all([ConversationStore, GenerationStore])
      const account = yield* newAccount
      const kept = yield* answered(account)
      const asked = yield* begin(account, { question: question("why?", [picture(10, 0)]) })
      yield* taken(asked.id)
      const { conversation } = asked
      assert.strictEqual(yield* conversations.remove(account, conversation), "running")
      assert.strictEqual((yield* conversations.find(account, conversation))?.running, true)
      yield* generations.endAnyway(asked.id, () => endOf(conversation, { outcome: "cancelled" }))
      const removals = yield* Effect.forEach([1, 2, 3], () => conversations.remove(account, conversation), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(removals.toSorted(), ["absent", "absent", "removed"])
      assert.isNull(yield* conversations.find(account, conversation))
      assert.deepStrictEqual(yield* conversations.images(account, asked.question), [])
      const list = yield* conversations.list(account, everything)
      assert.deepStrictEqual(list.items.map(({ id }) => id), [kept.conversation])
    }))
}

export const keepingConversations = (it: AgentTests): void => {
  paging(it)
  backwards(it)
  remembering(it)
  keepingImages(it)
  usingScopes(it)
  belonging(it)
}
