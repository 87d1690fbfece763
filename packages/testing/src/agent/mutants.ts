import { ConversationStore, GenerationLog, GenerationStore } from "@tapeline/core/agent"
import { Context, Effect, Layer } from "effect"
import type { AgentTables, GenerationRow } from "../memory/agentTables.ts"
import { MemoryState } from "../memory/MemoryState.ts"

interface Stores {
  readonly generations: GenerationStore["Service"]
  readonly conversations: ConversationStore["Service"]
  readonly log: GenerationLog["Service"]
}

type MutantFactory = (stores: Stores, tables: AgentTables) => {
  readonly generations?: Partial<Stores["generations"]>
  readonly conversations?: Partial<Stores["conversations"]>
  readonly log?: Partial<Stores["log"]>
}

const changeRowAfter = <A>(
  tables: AgentTables,
  generation: number,
  hasChanged: (answer: A) => boolean,
  change: (row: GenerationRow) => void
) =>
<E>(write: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.tap(write, (answer) =>
    Effect.sync(() => {
      const row = tables.generations.get(generation)
      if (hasChanged(answer) && row !== undefined) change(row)
    }))

/**
 * Store implementations that each break one rule of the contract. The name of each mutant describes the broken rule.
 */
const mutants = {
  "run two generations of one conversation": ({ generations }, { generations: rows }) => ({
    generations: {
      start: (request) =>
        Effect.suspend(() => {
          const { target } = request
          const hiddenRows = [...rows.values()].filter(({ generation }) =>
            target._tag !== "New" && generation.conversation === target.conversation && generation.state === "running"
          )
          for (const row of hiddenRows) row.generation = { ...row.generation, state: "closed" }
          return Effect.ensuring(
            generations.start(request),
            Effect.sync(() => {
              for (const row of hiddenRows) row.generation = { ...row.generation, state: "running" }
            })
          )
        })
    }
  }),
  "take a generation that was just renewed": ({ generations }) => ({
    generations: { take: (id) => generations.take(id, -1) }
  }),
  "take a generation without a new epoch": ({ generations }, tables) => ({
    generations: {
      take: (id, staleMs) =>
        generations.take(id, staleMs).pipe(
          changeRowAfter(tables, id, (generation) => generation !== null, (row) => {
            row.generation = { ...row.generation, epoch: row.generation.epoch - 1 }
          })
        )
    }
  }),
  "append under any epoch": ({ generations }, { generations: rows }) => ({
    generations: {
      append: (fence, events) =>
        generations.append({ ...fence, epoch: rows.get(fence.generation)?.generation.epoch ?? 0 }, events)
    }
  }),
  "leave a gap in event numbers": ({ generations }, tables) => ({
    generations: {
      append: (fence, events) =>
        generations.append(fence, events).pipe(
          changeRowAfter(tables, fence.generation, (isHeld) => isHeld && events.length > 2, (row) => {
            row.generation = { ...row.generation, nextN: row.generation.nextN + 1 }
          })
        )
    }
  }),
  "lose the last event of a batch": ({ generations }) => ({
    generations: { append: (fence, events) => generations.append(fence, events.slice(0, 2)) }
  }),
  "append events in another order": ({ generations }) => ({
    generations: { append: (fence, events) => generations.append(fence, events.toReversed()) }
  }),
  "store events without their steps": ({ generations }) => ({
    generations: { storeSteps: (fence, _steps, events) => generations.append(fence, events) }
  }),
  "report a valid fence as stale": ({ generations }) => ({
    generations: { renew: (fence) => Effect.as(generations.renew(fence), false) }
  }),
  "charge a failed generation": ({ generations }) => ({
    generations: {
      end: (fence, end) => generations.end(fence, { ...end, settlement: { _tag: "Settle", response: null } })
    }
  }),
  "charge nothing if another process ends the generation": ({ generations }) => ({
    generations: {
      forceEnd: (id, makeEnd) =>
        generations.forceEnd(id, (transcript) => ({ ...makeEnd(transcript), settlement: { _tag: "Release" } }))
    }
  }),
  "end an ended generation again": ({ generations }, tables) => ({
    generations: {
      forceEnd: (id, makeEnd) =>
        Effect.map(
          generations.forceEnd(id, makeEnd),
          (generation) => generation ?? tables.generations.get(id)?.generation ?? null
        )
    }
  }),
  "end a generation and keep its runner's fence valid": ({ generations }, tables) => ({
    generations: {
      forceEnd: (id, makeEnd) =>
        generations.forceEnd(id, makeEnd).pipe(
          changeRowAfter(tables, id, (hasEnded) => hasEnded !== null, (row) => {
            row.generation = { ...row.generation, state: "running" }
          })
        )
    }
  }),
  "pass an incomplete transcript to the end of a generation": ({ generations }) => ({
    generations: {
      forceEnd: (id, makeEnd) =>
        generations.forceEnd(id, (transcript) => makeEnd({ ...transcript, events: transcript.events.slice(1) }))
    }
  }),
  "replace an answer with an unfinished one": ({ generations }, tables) => ({
    generations: {
      end: (fence, end) =>
        generations.end(fence, end).pipe(
          changeRowAfter(tables, fence.generation, ({ held }) => held && end.outcome !== "finished", (row) => {
            const replaced = tables.messages.get(row.generation.brief.replaces ?? 0)
            if (replaced !== undefined) replaced.replaced = true
          })
        )
    }
  }),
  "keep a replaced answer": ({ generations }, tables) => ({
    generations: {
      end: (fence, end) =>
        generations.end(fence, end).pipe(
          changeRowAfter(tables, fence.generation, ({ held }) => held, (row) => {
            const replaced = tables.messages.get(row.generation.brief.replaces ?? 0)
            if (replaced !== undefined) replaced.replaced = false
          })
        )
    }
  }),
  "close without the suggested questions": ({ generations }) => ({
    generations: { close: (id) => generations.close(id, []) }
  }),
  "close a closed generation again": ({ generations }) => ({
    generations: { close: (id, questions) => Effect.as(generations.close(id, questions), true) }
  }),
  "store a report twice": ({ conversations }) => {
    let count = 0
    return {
      conversations: {
        addReport: (account, id, identity, message) =>
          conversations.addReport(account, id, `${identity}/${++count}`, message)
      }
    }
  },
  "show a conversation of another account": ({ conversations }, tables) => ({
    conversations: {
      find: (_account, id) => conversations.find(tables.conversations.get(id)?.account ?? 0, id)
    }
  }),
  "remove a conversation that is being answered": ({ conversations }, tables) => ({
    conversations: {
      remove: (account, id) =>
        Effect.suspend(() => {
          for (const row of tables.generations.values()) {
            if (row.generation.conversation === id && row.generation.state === "running") {
              row.generation = { ...row.generation, state: "closed" }
            }
          }
          return conversations.remove(account, id)
        })
    }
  }),
  "end a log before it is closed": ({ log }) => ({
    log: {
      read: (id, from, limit) =>
        Effect.map(log.read(id, from, limit), ({ events, isEnded }) => ({
          isEnded: isEnded || events.some(({ kind }) => kind === "done"),
          events
        }))
    }
  }),
  "return an event twice": ({ log }) => ({
    log: { read: (id, from, limit) => log.read(id, Math.max(0, from - 1), limit) }
  })
} satisfies Record<string, MutantFactory>

const factories: Readonly<Record<keyof typeof mutants, MutantFactory>> = mutants

export type AgentMutant = keyof typeof mutants

// The type cast is needed, because `Object.keys` returns strings and not the names of `mutants`.
export const agentMutants = Object.keys(mutants) as ReadonlyArray<AgentMutant>

/** Provides the in-memory agent stores with one deliberate defect, which a correct test suite detects. */
export const mutantAgentStores = (mutant: AgentMutant) =>
  Layer.effectContext(
    Effect.gen(function*() {
      const { agent: tables } = yield* MemoryState
      const [generations, conversations, log] = yield* Effect.all([GenerationStore, ConversationStore, GenerationLog])
      const overrides: ReturnType<MutantFactory> = factories[mutant]({ generations, conversations, log }, tables)
      return Context.make(GenerationStore, GenerationStore.of({ ...generations, ...overrides.generations })).pipe(
        Context.add(ConversationStore, ConversationStore.of({ ...conversations, ...overrides.conversations })),
        Context.add(GenerationLog, GenerationLog.of({ ...log, ...overrides.log }))
      )
    })
  )
