import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import { NoArtifactStore } from "./errors.ts"

export const artifactFormats = ["png", "svg"] as const
export type ArtifactFormat = (typeof artifactFormats)[number]

/** An image that a call created, in all formats, and its description. */
export interface Artifact {
  readonly account: number
  /** The identifier of the call within its account (`CallContext.callId`), at most 200 ASCII characters. */
  readonly callId: string
  /** The call's JSON result about the image, at most 64 KiB. */
  readonly about: string
  /** The image in each format, at most 1 MiB per format. */
  readonly images: Readonly<Record<ArtifactFormat, Uint8Array>>
}

export interface StoredArtifact {
  /** The artifact's id within its account: 32 random letters and digits that cannot be guessed. */
  readonly id: string
  readonly about: string
}

/** The retention period of an artifact: one week, in ms. */
export const artifactRetentionMs = 7 * 86_400_000
/** The maximum number of artifacts per account. If an account has more artifacts, its oldest artifacts are deleted. */
export const maxArtifacts = 200

/**
 * Stores images for the accounts whose calls created them.
 *
 * - A failed `save` stores nothing. A successful `save` has stored the artifact durably.
 * - `save` stores one artifact per account and `callId`. Repeated or concurrent calls with the same `callId` change
 *   nothing and return the stored artifact.
 * - `readImage` returns null for another account's artifact, an unknown id, or a deleted artifact.
 * - An artifact expires `artifactRetentionMs` after it was stored, by the store's clock.
 * - If an account has more than `maxArtifacts`, its oldest artifacts are unavailable as soon as `save` has returned.
 * - Expired artifacts are deleted eventually; each `save` also deletes expired artifacts of other accounts.
 *
 * Without an adapter, `save` and `readImage` fail with `NoArtifactStore`.
 */
export const ArtifactStore = Context.Reference<{
  readonly save: (artifact: Artifact) => Effect.Effect<StoredArtifact, StoreUnavailable | NoArtifactStore>
  readonly readImage: (
    query: { readonly account: number; readonly id: string; readonly format: ArtifactFormat }
  ) => Effect.Effect<Uint8Array | null, StoreUnavailable | NoArtifactStore>
}>("@tapeline/core/charts/ArtifactStore", {
  defaultValue: () => ({
    save: () => Effect.fail(new NoArtifactStore()),
    readImage: () => Effect.fail(new NoArtifactStore())
  })
})

const idAlphabet = "abcdefghijklmnopqrstuvwxyz012345"

/** Returns a new artifact id: 160 random bits, five bits per character. */
export const makeArtifactId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => idAlphabet[byte & 31]).join("")

export const isArtifactId = (text: string): boolean => /^[a-z0-5]{32}$/.test(text)
