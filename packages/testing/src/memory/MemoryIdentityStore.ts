import { type Account, AnswerUsed, IdentityStore, NotAdmitted } from "@tapeline/core/engine"
import { Clock, Effect, Layer } from "effect"
import { MemoryState } from "./MemoryState.ts"

/** `IdentityStore` over `MemoryState`, which shares its accounts with `MemoryKeyStore`. */
export const MemoryIdentityStore: Layer.Layer<IdentityStore, never, MemoryState> = Layer.effect(
  IdentityStore,
  Effect.gen(function*() {
    const [state, clock] = yield* Effect.all([MemoryState, Clock.Clock])
    const { answers, identities } = state.sessions
    return IdentityStore.of({
      admit: ({ answer, issuer, keepMs, name, now, plan, subject }) =>
        Effect.suspend((): Effect.Effect<Account, AnswerUsed | NotAdmitted> => {
          const at = now ?? clock.currentTimeMillisUnsafe()
          if (answers.has(answer)) return Effect.fail(new AnswerUsed())
          const identity = JSON.stringify([issuer, subject])
          const known = state.accounts.get(identities.get(identity) ?? 0)
          const use = () => {
            answers.set(answer, at)
            for (const [old, usedAt] of answers) if (usedAt <= at - keepMs) answers.delete(old)
          }
          if (known !== undefined) return Effect.as(Effect.sync(use), known)
          if (plan === null) return Effect.fail(new NotAdmitted())
          use()
          const made: Account = { id: state.accounts.size + 1, name, plan, createdAt: at }
          state.accounts.set(made.id, made)
          identities.set(identity, made.id)
          return Effect.succeed(made)
        })
    })
  })
)
