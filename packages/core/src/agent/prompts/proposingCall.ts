import type { CatalogueCall } from "../../engine/tool/catalogue.ts"
import { mostProposals, proposeWrite } from "../machine/proposals.ts"
import { signature } from "./signature.ts"

/**
 * Returns the tool with which a model proposes calls of `writing`: tools that it may not call without the user's
 * request. Their parameters are in the description of the argument, because providers limit the description of a tool.
 */
export const proposingCall = (writing: ReadonlyArray<CatalogueCall>): CatalogueCall => ({
  name: proposeWrite,
  area: "journal",
  summary:
    "Proposes a call that would change something, and writes nothing. The answer ends with it as it would be made, and " +
    `a yes of the user permits just that. At most ${mostProposals} an answer.`,
  credits: 0,
  parameters: {
    type: "object",
    properties: {
      tool: { type: "string", enum: writing.map(({ name }) => name) },
      arguments: {
        type: "object",
        description: `As the tool takes them:\n${
          writing.map(({ name, parameters }) => `${name} ${signature(parameters)}`).join("\n")
        }`
      }
    },
    required: ["tool", "arguments"],
    additionalProperties: false
  }
})
