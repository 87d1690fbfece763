import type { Schema } from "effect"
import type { Scope } from "../access/scope.ts"
import type { Area } from "./area.ts"

/**
 * What a call costs: 1 for a read of the service's own data, 5 for an external call, 20 for embedding or sandbox work.
 */
export type ToolCredits = 1 | 5 | 20

/** A schema of plain JSON on its encoded side, that needs no service. */
export type JsonCodec = Schema.Codec<unknown, Schema.Json>

/** The arguments of a tool: a struct, so that each has a name. */
export type ParameterSchema = Schema.Codec<unknown, unknown> & {
  /** `user_id` is nobody's argument: who calls is the key's to say. */
  readonly fields: Schema.Struct.Fields & { readonly user_id?: never }
}

/**
 * The one definition of a tool, from which catalogue, OpenAPI, client, MCP and the agent's list are derived. It holds
 * no code that runs, so that a browser can load it.
 */
export interface ToolSpecification<
  Name extends string = string,
  Parameters extends ParameterSchema = ParameterSchema,
  Result extends JsonCodec = JsonCodec
> {
  readonly name: Name
  readonly area: Area
  readonly scope: Scope
  readonly credits: ToolCredits
  /** One sentence, for people and for language models. */
  readonly summary: string
  readonly parameters: Parameters
  /** A scope that a call with these arguments needs beside `scope`; left out or null, none. */
  alsoNeeds?(args: Parameters["Type"]): Scope | null
  readonly result: Result
  /**
   * True if a call completes, and is charged, although its caller leaves after the handler called `commit` of its
   * context. Calls of other tools end with their caller, and are free then.
   */
  readonly completesWhenAbandoned?: boolean
  /** Arguments with which the tool answers on the simulated market. */
  readonly example: Parameters["Encoded"]
}

/** What a tool's name is: it stands in addresses, and in the function lists of language models. */
export const toolName = /^[a-z][a-z0-9_]{0,63}$/

type LettersOf<Text> = Text extends `${infer Letter}${infer Rest}` ? Letter | LettersOf<Rest> : never
type NameLetter = LettersOf<"abcdefghijklmnopqrstuvwxyz0123456789_">

/** True for a text of nothing but letters that names have. */
export type IsToolName<Text> = Text extends `${infer Letter}${infer Rest}`
  ? Letter extends NameLetter ? Rest extends "" ? true : IsToolName<Rest> : false
  : false

/** Checks a specification against its type, and keeps its literal types. */
export const specify = <const Name extends string, Parameters extends ParameterSchema, Result extends JsonCodec>(
  specification: ToolSpecification<Name, Parameters, Result>
): ToolSpecification<Name, Parameters, Result> => specification

/** How long a tool may run, in ms. */
export const timeoutMs = (specification: ToolSpecification): number => specification.credits === 20 ? 30_000 : 10_000

/** What a caller of the tool writes: its arguments as JSON. */
export type ArgumentsOf<S extends ToolSpecification> = S["parameters"]["Encoded"]

/** What a caller of the tool gets: its result as JSON. */
export type ResultOf<S extends ToolSpecification> = S["result"]["Encoded"]
