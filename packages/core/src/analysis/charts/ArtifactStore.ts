import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import { NoArtifactStore } from "./errors.ts"

export const artifactForms = ["png", "svg"] as const
export type ArtifactForm = (typeof artifactForms)[number]

/** An image that a call created, in all forms, and its description. */
export interface Artifact {
  readonly account: number
  /** The identity of the call within its account (`CallContext.callId`), at most 200 ASCII characters. */
  readonly callId: string
  /** The call's JSON result about the image, at most 64 KiB. */
  readonly about: string
  /** At most 1 MiB each. */
  readonly forms: Readonly<Record<ArtifactForm, Uint8Array>>
}

/** A stored artifact. */
export interface KeptArtifact {
  /** Its name within its account: 32 letters and digits that cannot be guessed. */
  readonly id: string
  readonly about: string
}

/** The retention of an artifact: a week, in ms. */
export const artifactKeptMs = 7 * 86_400_000
/** The maximum number of artifacts per account. Beyond it, the oldest of that account are deleted. */
export const artifactsAtMost = 200

/**
 * Stores images for the accounts whose calls created them.
 *
 * - `keep` stores whole artifacts: it succeeds only if the whole artifact is durable, and stores nothing if it fails.
 * - A call stores one artifact. If its account and `callId` already have one, `keep` changes nothing and returns that
 *   artifact, so that the caller's result matches the stored image. This also holds for concurrent calls of `keep`.
 * - `image` returns the stored bytes to the account that owns them. It returns null for another account's artifact, an
 *   unknown id, or a deleted artifact.
 * - An artifact expires `artifactKeptMs` after it was stored, by the store's clock. If an account has more than
 *   `artifactsAtMost`, its oldest are no longer available when the last `keep` has returned. Expired artifacts are
 *   deleted eventually, and each further `keep` also deletes those of other accounts.
 *
 * Without an adapter, `keep` and `image` fail with `NoArtifactStore`.
 */
export const ArtifactStore = Context.Reference<{
  readonly keep: (artifact: Artifact) => Effect.Effect<KeptArtifact, StoreUnavailable | NoArtifactStore>
  readonly image: (
    query: { readonly account: number; readonly id: string; readonly form: ArtifactForm }
  ) => Effect.Effect<Uint8Array | null, StoreUnavailable | NoArtifactStore>
}>("@tapeline/core/charts/ArtifactStore", {
  defaultValue: () => ({
    keep: () => Effect.fail(new NoArtifactStore()),
    image: () => Effect.fail(new NoArtifactStore())
  })
})

const alphabet = "abcdefghijklmnopqrstuvwxyz012345"

/** Returns a new artifact id: 160 random bits, five per character. */
export const newArtifactId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => alphabet[byte & 31]).join("")

/** Whether a text has the format of an artifact id. */
export const isArtifactId = (text: string): boolean => /^[a-z0-5]{32}$/.test(text)
