import { ProposalState } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { RejectMalformedPath } from "./middleware.ts"
import { withPriceAndScope } from "./priceAndScope.ts"
import { problemSchemas } from "./problem.ts"

/** The fields of a proposal in a response. */
export const ProposalBody = Schema.Struct({
  id: Schema.String,
  conversation_id: Schema.Int,
  message_id: Schema.Int.annotate({ description: "The message of the answer that made the proposal" }),
  tool: Schema.String,
  arguments: Schema.Json,
  summary: Schema.String.annotate({ description: "A description of the call, in the language of the answer" }),
  state: ProposalState.annotate({
    description: "`open`: can be accepted or dismissed. `accepting`: accepted, but not finished; accept it again to " +
      "finish it. `accepted`: the call was made. `failed`: the call was not made, or its outcome stayed unknown for a " +
      "day. `dismissed`, `expired` after a day, and `superseded` by a new answer"
  }),
  created_at: Schema.String,
  expires_at: Schema.String,
  envelope: Schema.Json.annotate({
    description: "The response of the accepted call, as `POST /v1/tools/{name}` returns it; null unless `accepted`"
  }),
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })).annotate({
    description: "Why the call failed; null unless `failed`, or `accepting` after a failed call"
  }),
  report_message_id: Schema.NullOr(Schema.Int).annotate({
    description: "The message that reports the accepted call in the conversation"
  })
}).annotate({ identifier: "Proposal", description: "A change of a record that an answer proposed" })

const idPattern = /^p_[1-9][0-9]{0,15}_[1-9][0-9]{0,5}\.[1-9][0-9]{0,5}$/

const params = {
  proposal_id: Schema.String.check(Schema.isPattern(idPattern)).annotate({
    description: "The proposal's id, such as `p_12_1.1`"
  })
}

const readProblems = ["scope_required", "proposal_not_found"] as const
const bodyProblems = [
  "invalid_body",
  "invalid_arguments",
  "user_id_not_accepted",
  "payload_too_large",
  "unsupported_media_type"
] as const

const transform = withPriceAndScope({ scope: "write:personal" })

export const proposalEndpoints = [
  HttpApiEndpoint.get("proposal", "/v1/agent/proposals/:proposal_id", {
    params,
    success: ProposalBody,
    error: problemSchemas(...readProblems)
  }).middleware(RejectMalformedPath).annotateMerge(OpenApi.annotations({
    transform,
    identifier: "proposal",
    summary: "Read a proposal",
    description: "Returns a proposal with its state and, after an acceptance, its result."
  })),
  HttpApiEndpoint.post("acceptProposal", "/v1/agent/proposals/:proposal_id/accept", {
    params,
    success: ProposalBody,
    error: problemSchemas(
      ...bodyProblems,
      ...readProblems,
      "proposal_closed",
      "proposal_outdated",
      "request_in_progress",
      "over_limit",
      "key_over_limit"
    )
  }).middleware(RejectMalformedPath).annotateMerge(OpenApi.annotations({
    transform,
    identifier: "acceptProposal",
    summary: "Accept a proposal",
    description:
      "Makes the proposed call once, for the caller and at the price of its tool. If the response is lost, repeat the " +
      "request: it returns the result of the first acceptance, and charges nothing more. The conversation gets a " +
      "message that reports the change."
  })),
  HttpApiEndpoint.post("dismissProposal", "/v1/agent/proposals/:proposal_id/dismiss", {
    params,
    success: ProposalBody,
    error: problemSchemas(...bodyProblems, ...readProblems, "proposal_closed")
  }).middleware(RejectMalformedPath).annotateMerge(OpenApi.annotations({
    transform,
    identifier: "dismissProposal",
    summary: "Dismiss a proposal",
    description: "Discards an open proposal. A dismissed proposal can no longer be accepted."
  }))
] as const
