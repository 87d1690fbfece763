import {
  type Account,
  type AdmittedIdentity,
  AnswerUsed,
  IdentityStore,
  newAccountFields,
  NotAdmitted
} from "@tapeline/core/engine"
import { Clock, Effect, Layer } from "effect"
import { MemoryState } from "./MemoryState.ts"

/** Provides `IdentityStore` over `MemoryState`, and shares accounts with `MemoryKeyStore`. */
export const MemoryIdentityStore: Layer.Layer<IdentityStore, never, MemoryState> = Layer.effect(
  IdentityStore,
  Effect.gen(function*() {
    const [state, clock] = yield* Effect.all([MemoryState, Clock.Clock])
    const { answers: usedResponses, identities } = state.sessions
    return IdentityStore.of({
      admit: ({ responseHash, issuer, retainMs, name, now, plan, subject }) =>
        Effect.suspend((): Effect.Effect<AdmittedIdentity, AnswerUsed | NotAdmitted> => {
          const currentTime = now ?? clock.currentTimeMillisUnsafe()
          if (usedResponses.has(responseHash)) return Effect.fail(new AnswerUsed())
          const identity = JSON.stringify([issuer, subject])
          const existing = state.accounts.get(identities.get(identity) ?? 0)
          const markUsed = () => {
            usedResponses.set(responseHash, currentTime)
            for (const [hash, usedAt] of usedResponses) if (usedAt <= currentTime - retainMs) usedResponses.delete(hash)
          }
          if (existing !== undefined) return Effect.as(Effect.sync(markUsed), { account: existing, isNew: false })
          if (plan === null) return Effect.fail(new NotAdmitted())
          markUsed()
          const id = state.accounts.size + 1
          const account: Account = { id, name, plan, createdAt: currentTime, ...newAccountFields }
          state.accounts.set(account.id, account)
          identities.set(identity, account.id)
          return Effect.succeed({ account, isNew: true })
        })
    })
  })
)
