import { Effect, Redacted } from "effect"
import * as Base64 from "effect/encoding/Base64"

const secretPrefix = "whsec_"
const secretBytes = 32

/** Generates a webhook secret, as Standard Webhooks 1.0.0 specifies: `whsec_` and the base64 of 32 random bytes. */
export const generateWebhookSecret = (): string =>
  secretPrefix + Base64.encode(crypto.getRandomValues(new Uint8Array(secretBytes)))

const encoder = new TextEncoder()

/** A message to sign. `timestamp` is in seconds since 1970. */
export interface SignedMessage {
  readonly id: string
  readonly timestamp: number
  readonly body: string
}

const sign = async (secret: string, { body, id, timestamp }: SignedMessage): Promise<string> => {
  const bytes = Uint8Array.from(atob(secret.slice(secretPrefix.length)), (character) => character.charCodeAt(0))
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
  const signature = await crypto.subtle.sign("HMAC", key, encoder.encode(`${id}.${timestamp}.${body}`))
  return `v1,${Base64.encode(new Uint8Array(signature))}`
}

/**
 * Returns the headers that Standard Webhooks 1.0.0 specifies: the id, the timestamp, and one signature for each secret.
 */
export const signedHeaders = (
  secrets: ReadonlyArray<Redacted.Redacted<string>>,
  message: SignedMessage
): Effect.Effect<Readonly<Record<string, string>>> =>
  Effect.map(
    Effect.promise(() => Promise.all(secrets.map((secret) => sign(Redacted.value(secret), message)))),
    (signatures) => ({
      "webhook-id": message.id,
      "webhook-timestamp": String(message.timestamp),
      "webhook-signature": signatures.join(" ")
    })
  )
