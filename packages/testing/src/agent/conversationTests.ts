import { assert } from "@effect/vitest"
import { allScopes, type Scope } from "@tapeline/core"
import { type ConversationPage, ConversationStore, GenerationStore, type StoredImage } from "@tapeline/core/agent"
import type { StoreUnavailable } from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  type AgentTests,
  answerMessage,
  answerQuestion,
  formatMessage,
  inConversation,
  makeEnd,
  newAccount,
  questionMessage,
  repeatInConversation,
  reportMessage,
  startGeneration,
  startNewGeneration,
  takeGeneration
} from "./fixtures.ts"

const firstPage = { limit: 100, cursor: null, scopes: allScopes }

const readAllPages = <A, E, R>(
  readPage: (cursor: string | null) => Effect.Effect<ConversationPage<A>, E, R>,
  afterEachPage: Effect.Effect<unknown, E, R> = Effect.void
) =>
  Effect.gen(function*() {
    const allItems: Array<A> = []
    let cursor: string | null = null
    do {
      const { items, next }: ConversationPage<A> = yield* readPage(cursor)
      allItems.push(...items)
      cursor = next
      yield* afterEachPage
    } while (cursor !== null)
    return allItems
  })

const invalidCursors = [
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

const testPaging = (it: AgentTests): void => {
  it.effect("lists conversations by their last message, newest first, in stable pages", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const started = yield* Effect.forEach(Array.from({ length: 7 }), () => startNewGeneration(account))
      const ids = started.map(({ conversation }) => conversation)
      const list = (limit: number) => (cursor: string | null) =>
        conversations.list(account, { limit, cursor, scopes: allScopes })
      const expected = (yield* conversations.list(account, firstPage)).items
      assert.deepStrictEqual(expected.map(({ id }) => id).toSorted((a, b) => a - b), ids)
      expected.slice(1).forEach((one, i) => {
        const before = expected[i]!
        assert.isTrue(before.updatedAt > one.updatedAt || (before.updatedAt === one.updatedAt && before.id > one.id))
      })
      for (const limit of [1, 2, 3, 7]) assert.deepStrictEqual(yield* readAllPages(list(limit)), expected)
      const known = new Set(ids)
      const readItems = yield* readAllPages(list(2), startNewGeneration(account))
      assert.deepStrictEqual(readItems.filter(({ id }) => known.has(id)), expected)
      for (const cursor of invalidCursors) {
        const page = yield* conversations.list(account, { limit: 5, cursor, scopes: allScopes })
        assert.deepStrictEqual(page.next === null ? page : { ...page, items: [] }, { items: [], next: null }, cursor)
      }
      assert.deepStrictEqual(yield* conversations.list(yield* newAccount, firstPage), { items: [], next: null })
    }))

  it.effect("returns messages oldest first, in pages without omissions or repetitions", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const { conversation } = yield* answerQuestion(account)
      for (let i = 0; i < 5; i++) {
        yield* conversations.addReport(account, conversation, `t${i}`, reportMessage(`fired ${i}`))
      }
      const messages = (limit: number) => (cursor: string | null) =>
        Effect.map(conversations.messages(account, conversation, { limit, cursor }), (page) => page!)
      const all = yield* readAllPages(messages(100))
      assert.deepStrictEqual(all.map(formatMessage), [
        "user: why?",
        "assistant: because",
        ...[0, 1, 2, 3, 4].map((i) => `task: fired ${i}`)
      ])
      for (const limit of [1, 3, 7]) assert.deepStrictEqual(yield* readAllPages(messages(limit)), all)
      let nextIndex = 0
      const readItems = yield* readAllPages(
        messages(2),
        Effect.suspend((): Effect.Effect<unknown, StoreUnavailable> =>
          ++nextIndex > 3
            ? Effect.succeed(null)
            : conversations.addReport(account, conversation, `more${nextIndex}`, reportMessage("more"))
        )
      )
      assert.deepStrictEqual(readItems.slice(0, 7), all)
      assert.deepStrictEqual(readItems.length, 10)
      for (const cursor of invalidCursors.filter((one) => one !== "x")) {
        const page = yield* conversations.messages(account, conversation, { limit: 5, cursor })
        assert.deepStrictEqual(page, { items: [], next: null }, cursor)
      }
    }))
}

const testNewestFirstPaging = (it: AgentTests): void => {
  it.effect("returns messages newest first, in pages that later messages do not shift", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const { conversation } = yield* answerQuestion(account)
      for (let i = 0; i < 5; i++) {
        yield* conversations.addReport(account, conversation, `t${i}`, reportMessage(`fired ${i}`))
      }
      const { items: oldestFirst } = (yield* conversations.messages(account, conversation, firstPage))!
      const page = (limit: number) => (cursor: string | null) =>
        Effect.map(
          conversations.messages(account, conversation, { limit, cursor, order: "newest" }),
          (page) => page!
        )
      const all = oldestFirst.toReversed()
      for (const limit of [1, 3, 7, 100]) assert.deepStrictEqual(yield* readAllPages(page(limit)), all)
      let lateReports = 0
      const readItems = yield* readAllPages(
        page(2),
        Effect.suspend(() =>
          conversations.addReport(account, conversation, `late${++lateReports}`, reportMessage("late"))
        )
      )
      assert.deepStrictEqual(readItems, all)
      for (const cursor of invalidCursors.filter((one) => one !== "x")) {
        const emptyPage = yield* conversations.messages(account, conversation, { limit: 5, cursor, order: "newest" })
        assert.deepStrictEqual(emptyPage, { items: [], next: null }, cursor)
      }
      const other = yield* newAccount
      assert.isNull(yield* conversations.messages(other, conversation, { ...firstPage, order: "newest" }))
    }))
}

const testMemory = (it: AgentTests): void => {
  it.effect("returns the newest messages after the summary, without replaced answers", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const first = yield* answerQuestion(account)
      const { conversation } = first
      const second = yield* answerQuestion(account, {
        target: inConversation(conversation),
        question: questionMessage("and?")
      })
      yield* answerQuestion(account, { target: repeatInConversation(conversation), question: null }, {
        answer: answerMessage("better")
      })
      const readMemory = (upTo: number | null, limit: number) =>
        Effect.map(conversations.readHistory(account, conversation, { upTo, limit }), (conversation) => ({
          summary: conversation!.summary,
          messages: conversation!.messages.map(formatMessage)
        }))
      const expected = ["user: why?", "assistant: because", "user: and?", "assistant: better"]
      assert.deepStrictEqual(yield* readMemory(null, 100), { summary: null, messages: expected })
      assert.deepStrictEqual(yield* readMemory(null, 2), { summary: null, messages: expected.slice(2) })
      assert.deepStrictEqual(yield* readMemory(second.question, 2), { summary: null, messages: expected.slice(1, 3) })
      const summary = { upTo: first.message!.id, text: "so far\u0000 👍" }
      yield* conversations.storeSummary(account, conversation, summary)
      assert.deepStrictEqual(yield* readMemory(null, 100), { summary, messages: expected.slice(2) })
      yield* conversations.storeSummary(account, conversation, { upTo: first.question, text: "less" })
      yield* conversations.storeSummary(account, conversation, { ...summary, text: "of one who comes late" })
      assert.deepStrictEqual((yield* readMemory(null, 1)).summary, summary)
      const laterSummary = { upTo: second.question, text: "more" }
      yield* conversations.storeSummary(account, conversation, laterSummary)
      assert.deepStrictEqual(yield* readMemory(null, 100), { summary: laterSummary, messages: expected.slice(3) })
      assert.deepStrictEqual(yield* readMemory(first.question, 100), { summary: laterSummary, messages: [] })
    }))

  it.effect("adds a task's report once per identity, also if several callers add it", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const [{ conversation }, other] = [yield* answerQuestion(account), yield* answerQuestion(account)]
      const reports = yield* Effect.forEach(
        [1, 2, 3, 4],
        (i) => conversations.addReport(account, conversation, "task:7", reportMessage(`fired ${i}`)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(reports, reports.map(() => reports[0]!))
      assert.strictEqual((yield* conversations.find(account, conversation))?.messageCount, 3)
      const otherReport = yield* conversations.addReport(account, other.conversation, "task:7", reportMessage("there"))
      assert.strictEqual(otherReport?.content, "there")
      const lateReport = yield* conversations.addReport(account, conversation, "task:7", reportMessage("late"))
      assert.deepStrictEqual(lateReport, reports[0]!)
      assert.isNull(yield* conversations.addReport(account, 2 ** 40, "task:7", reportMessage("nowhere")))
    }))
}

const makeImage = (size: number, seed: number): StoredImage => {
  const bytes = new Uint8Array(size)
  for (let i = 0; i < size; i++) bytes[i] = (i * 31 + seed + (i >> 8)) & 255
  return { mediaType: seed % 2 === 0 ? "image/png" : "image/jpeg", width: seed + 1, height: 2, bytes }
}

const testImageStorage = (it: AgentTests): void => {
  it.effect("stores images of every length up to 20 MiB and texts of every kind unchanged", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const sizes = [0, 1, 1_048_575, 1_048_576, 1_048_577, 20 * 1_048_576]
      const images = sizes.map(makeImage)
      const content = `${"김".repeat(31_990)}\u0000\uD83D👍`
      const generation = yield* startNewGeneration(account, {
        question: questionMessage(content, images),
        target: { _tag: "New", title: "\u0000👍\uDE00", mode: "mentor" }
      })
      const storedImages = yield* conversations.listImages(account, generation.question)
      assert.deepStrictEqual(
        storedImages.map(({ bytes: _, ...note }) => note),
        images.map(({ bytes: _, ...note }) => note)
      )
      storedImages.forEach(({ bytes }, i) => assert.isTrue(Buffer.from(bytes).equals(images[i]!.bytes), `${sizes[i]}`))
      const page = yield* conversations.messages(account, generation.conversation, firstPage)
      assert.strictEqual(page?.items[0]?.content, content)
      assert.deepStrictEqual(
        page?.items[0]?.images,
        images.map(({ bytes, ...note }) => ({ ...note, bytes: bytes.length }))
      )
      assert.strictEqual((yield* conversations.find(account, generation.conversation))?.title, "\u0000👍\uDE00")
      assert.deepStrictEqual(yield* conversations.listImages(yield* newAccount, generation.question), [])
      const longAnswer = answerMessage("👍".repeat(65_536))
      const generationWithLongAnswer = yield* answerQuestion(account, {}, { answer: longAnswer })
      assert.strictEqual(generationWithLongAnswer.message?.content, longAnswer.content)
      assert.deepStrictEqual(yield* conversations.listImages(account, generationWithLongAnswer.message!.id), [])
    }))
}

const testScopes = (it: AgentTests): void => {
  it.effect("lists and continues a conversation only with each scope that it used", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const [account, other] = [yield* newAccount, yield* newAccount]
      const { conversation: market } = yield* answerQuestion(account)
      const { conversation: personal } = yield* answerQuestion(account)
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
      const listIds = (scopes: ReadonlyArray<Scope>) =>
        Effect.map(
          conversations.list(account, { limit: 1, cursor: null, scopes }),
          ({ items, next }) => [items.map(({ id }) => id), next === null]
        )
      for (const scopes of [[], ["agent:chat"], ["read:personal"], ["write:personal"]] as const) {
        assert.deepStrictEqual(yield* listIds(scopes), [[market], true])
        const result = yield* startGeneration(account, { target: inConversation(personal), readableScopes: scopes })
        assert.strictEqual(result._tag, "NoConversation")
      }
      assert.deepStrictEqual(yield* listIds(["write:personal", "read:personal"]), [[personal], false])
      yield* startNewGeneration(account, {
        target: inConversation(personal),
        readableScopes: ["write:personal", "read:personal"]
      })
    }))

  it.effect("adds the scopes of a question to its conversation, together with the question", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const { conversation, id } = yield* startNewGeneration(account, { usedScopes: ["write:personal"] })
      const readScopes = Effect.map(conversations.find(account, conversation), (conversation) => conversation?.scopes)
      assert.deepStrictEqual(yield* readScopes, ["write:personal"])
      const rejected = yield* startGeneration(account, {
        target: inConversation(conversation),
        usedScopes: ["read:personal"]
      })
      assert.deepStrictEqual([rejected._tag, yield* readScopes], ["Busy", ["write:personal"]])
      const { epoch } = yield* takeGeneration(id)
      yield* (yield* GenerationStore).end({ generation: id, epoch }, makeEnd(conversation))
      yield* startNewGeneration(account, {
        target: inConversation(conversation),
        usedScopes: ["read:personal", "write:personal"]
      })
      assert.deepStrictEqual(yield* readScopes, ["write:personal", "read:personal"])
    }))

  it.effect("adds no scope to a conversation because of texts, rejected calls or proposals in its messages", () =>
    Effect.gen(function*() {
      const account = yield* newAccount
      const call = { name: "get_positions", ok: true }
      const content = `The call ${JSON.stringify(call)} and "role":"task".`
      const { conversation } = yield* answerQuestion(account, { question: questionMessage(content) }, {
        answer: {
          ...answerMessage(content),
          tools: [
            { name: "get_positions", ok: false },
            { name: "close_position", ok: false }
          ]
        }
      })
      const found = yield* Effect.flatMap(ConversationStore, (store) => store.find(account, conversation))
      assert.deepStrictEqual(found?.scopes, [])
    }))

  it.effect("adds the scope of tasks to a conversation, together with a report", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const account = yield* newAccount
      const { conversation } = yield* answerQuestion(account)
      for (const identity of ["t1", "t1", "t2"]) {
        yield* conversations.addReport(account, conversation, identity, reportMessage("fired"))
        assert.deepStrictEqual((yield* conversations.find(account, conversation))?.scopes, ["read:personal"])
      }
    }))
}

const testOwnership = (it: AgentTests): void => {
  it.effect("treats another account's conversation as absent, and rejects changes to it", () =>
    Effect.gen(function*() {
      const conversations = yield* ConversationStore
      const [account, other] = [yield* newAccount, yield* newAccount]
      const { conversation, question: questionId } = yield* answerQuestion(account, {
        question: questionMessage("why?", [makeImage(10, 0)])
      })
      const before = yield* conversations.find(account, conversation)
      for (const id of [conversation, 2 ** 40, 0, -1, Number.MAX_SAFE_INTEGER]) {
        assert.isNull(yield* conversations.find(other, id))
        assert.isNull(yield* conversations.messages(other, id, firstPage))
        assert.isNull(yield* conversations.readHistory(other, id, { upTo: null, limit: 10 }))
        assert.isNull(yield* conversations.addReport(other, id, "t", reportMessage("fired")))
        assert.strictEqual(yield* conversations.remove(other, id), "absent")
        yield* conversations.storeSummary(other, id, { upTo: 2 ** 50, text: "mine" })
      }
      assert.deepStrictEqual(yield* conversations.listImages(other, questionId), [])
      assert.deepStrictEqual(yield* conversations.find(account, conversation), before)
      const memory = yield* conversations.readHistory(account, conversation, { upTo: null, limit: 10 })
      assert.deepStrictEqual([memory?.summary, memory?.messages.length], [null, 2])
    }))

  it.effect("removes a conversation with all its messages, unless it is being answered", () =>
    Effect.gen(function*() {
      const [conversations, generations] = yield* Effect.all([ConversationStore, GenerationStore])
      const account = yield* newAccount
      const other = yield* answerQuestion(account)
      const generation = yield* startNewGeneration(account, { question: questionMessage("why?", [makeImage(10, 0)]) })
      yield* takeGeneration(generation.id)
      const { conversation } = generation
      assert.strictEqual(yield* conversations.remove(account, conversation), "running")
      assert.strictEqual((yield* conversations.find(account, conversation))?.running, true)
      yield* generations.forceEnd(generation.id, () => makeEnd(conversation, { outcome: "cancelled" }))
      const removals = yield* Effect.forEach([1, 2, 3], () => conversations.remove(account, conversation), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(removals.toSorted(), ["absent", "absent", "removed"])
      assert.isNull(yield* conversations.find(account, conversation))
      assert.deepStrictEqual(yield* conversations.listImages(account, generation.question), [])
      const list = yield* conversations.list(account, firstPage)
      assert.deepStrictEqual(list.items.map(({ id }) => id), [other.conversation])
    }))
}

export const testConversationStore = (it: AgentTests): void => {
  testPaging(it)
  testNewestFirstPaging(it)
  testMemory(it)
  testImageStorage(it)
  testScopes(it)
  testOwnership(it)
}
