import {
  type Artifact,
  artifactRetentionMs,
  ArtifactStore,
  makeArtifactId,
  maxArtifacts
} from "@tapeline/core/analysis"
import { Clock, Effect, Layer } from "effect"

interface StoredArtifact extends Artifact {
  readonly id: string
  readonly storedAt: number
}

/**
 * Provides `ArtifactStore` in memory. Each build of the layer creates a new store, which uses the clock of the layer.
 */
export const MemoryArtifactStore: Layer.Layer<never> = Layer.effect(
  ArtifactStore,
  Effect.gen(function*() {
    // The clock of the layer is used, because a request about a past time has another clock, which must not expire
    // artifacts.
    const clock = yield* Clock.Clock
    const rowsByAccount = new Map<number, ReadonlyArray<StoredArtifact>>()
    const getRows = (account: number): ReadonlyArray<StoredArtifact> => {
      const from = clock.currentTimeMillisUnsafe() - artifactRetentionMs
      return (rowsByAccount.get(account) ?? []).filter(({ storedAt }) => storedAt > from)
    }
    return {
      save: (artifact) =>
        Effect.sync(() => {
          const rows = getRows(artifact.account)
          const existing = rows.find(({ callId }) => callId === artifact.callId)
          const row = existing ?? {
            ...artifact,
            images: { png: artifact.images.png.slice(), svg: artifact.images.svg.slice() },
            id: makeArtifactId(),
            storedAt: clock.currentTimeMillisUnsafe()
          }
          for (const account of rowsByAccount.keys()) if (getRows(account).length === 0) rowsByAccount.delete(account)
          rowsByAccount.set(artifact.account, existing === undefined ? [...rows, row].slice(-maxArtifacts) : rows)
          return { id: row.id, about: row.about }
        }),
      readImage: ({ account, format, id }) =>
        Effect.sync(() => getRows(account).find((row) => row.id === id)?.images[format].slice() ?? null)
    }
  })
)
