import { Schema } from "effect"
import type { Principal } from "../../engine/access/account.ts"
import type { Issue } from "../../engine/messages/issue.ts"
import { Language } from "../../engine/messages/languageCode.ts"
import { Mode } from "../event.ts"

/** The maximum size of a request to the analyst. */
export const requestLimits = {
  messageLength: 32_000,
  images: 6,
  imageBytes: 8 * 1024 * 1024,
  allImagesBytes: 20 * 1024 * 1024,
  imagePixels: 40_000_000,
  /** The maximum size of `seed_context`, as JSON in UTF-8. */
  seedContextBytes: 64 * 1024
} as const

/** A request to the analyst, in the form in which callers send it. */
export const AgentRequest = Schema.Struct({
  message: Schema.optionalKey(Schema.String.annotate({
    description: "The question, 1 to 32,000 characters. With `regenerate` it is ignored, and may be omitted"
  })),
  conversation_id: Schema.optionalKey(
    Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))).annotate({
      description: "The conversation to continue; a new conversation by default"
    })
  ),
  last_message_id: Schema.optionalKey(
    Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))).annotate({
      description:
        "The last message that the caller has seen. The request is rejected if the conversation has newer messages"
    })
  ),
  lang: Schema.optionalKey(
    Schema.NullOr(Language).annotate({ description: "Language of the answer; the question's language by default" })
  ),
  coin: Schema.optionalKey(
    Schema.NullOr(Schema.String.check(Schema.isBetweenLength(1, 64))).annotate({
      description: "Ticker of the coin that the question is about"
    })
  ),
  regenerate: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Answers the last question of the conversation again" })
  ),
  seed_context: Schema.optionalKey(
    Schema.NullOr(Schema.Record(Schema.String, Schema.Json)).annotate({
      description: "Known facts, at most 64 KiB of JSON. A key that is a tool's name contains `data` of that tool"
    })
  ),
  mode: Schema.optionalKey(
    Schema.NullOr(Mode).annotate({
      description: "The mode of a new conversation; `mentor` also explains the reasoning"
    })
  ),
  writes: Schema.optionalKey(
    Schema.NullOr(Schema.Literals(["propose", "allow"])).annotate({
      description: "`propose` (default): each change of a record becomes a proposal. `allow`: the analyst changes " +
        "records directly, at most 5 times in an answer, within the scopes of the key"
    })
  ),
  images: Schema.optionalKey(
    Schema.NullOr(Schema.Array(Schema.String)).annotate({
      description: "Data URLs of PNG, JPEG, WebP or GIF: at most 6, 8 MiB each and 20 MiB together"
    })
  )
})
export type AgentRequest = typeof AgentRequest.Encoded

/** The caller of the analyst, and options of the request. */
export interface AskOptions {
  readonly principal: Principal
  /** The language of error messages about the request, by default English; without effect on the answer's language. */
  readonly language?: Language | undefined
  /**
   * The idempotency key of the request. A repeated request with an equal key returns the first answer without a second
   * charge.
   */
  readonly idempotencyKey?: string | undefined
}

/** A question from a transport, whose `request` may have any type, because `AgentRequest` validates it. */
export interface AskRequest extends AskOptions {
  readonly request: unknown
  /** The faults that the transport found in the request's texts; undefined if it did not check the texts. */
  readonly issues?: ReadonlyArray<Issue> | undefined
}
