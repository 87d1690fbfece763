import type { Schema } from "effect"
import type { Scope } from "../access/scope.ts"
import type { Area } from "./area.ts"

/** The price of a call in credits: 1 for stored data, 5 for an external call, 20 for embedding or sandbox work. */
export type ToolCredits = 1 | 5 | 20

/** A schema that encodes to plain JSON and needs no service. */
export type JsonCodec = Schema.Codec<unknown, Schema.Json>

/** The arguments of a tool. Arguments form a struct, so that each argument has a name. */
export type ParameterSchema = Schema.Codec<unknown, unknown> & {
  /** The arguments by name. `user_id` is not allowed, because the API key determines the account. */
  readonly fields: Schema.Struct.Fields & { readonly user_id?: never }
}

/**
 * The definition of a tool, from which the catalogue, OpenAPI, the client, MCP and the agent's tool list are derived. A
 * definition contains no handler code, so it can be loaded in a browser.
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
  /** A one-sentence summary of the tool for people and for language models. */
  readonly summary: string
  readonly parameters: Parameters
  /**
   * Returns the scope that a call with these arguments needs in addition to `scope`, or null. A tool without additional
   * scopes omits this method.
   */
  additionalScope?(args: Parameters["Type"]): Scope | null
  readonly result: Result
  /**
   * Whether the handler only reads and computes, so that its result can be discarded. Only a tool with a price of 1
   * credit and without `completesWhenAbandoned` can be pure.
   */
  readonly pure?: boolean
  /** Whether the handler can commit a call. A committed call completes and is charged even if the caller leaves. */
  readonly completesWhenAbandoned?: boolean
  /** Example arguments with which the tool succeeds on the simulated market. */
  readonly example: Parameters["Encoded"]
}

/** The pattern of tool names. Tool names occur in URLs and in the function lists of language models. */
export const toolName = /^[a-z][a-z0-9_]{0,63}$/

type LettersOf<Text> = Text extends `${infer Letter}${infer Rest}` ? Letter | LettersOf<Rest> : never
type NameLetter = LettersOf<"abcdefghijklmnopqrstuvwxyz0123456789_">

/** A type that is true if a text contains only characters that tool names allow. */
export type IsToolName<Text> = Text extends `${infer Letter}${infer Rest}`
  ? Letter extends NameLetter ? Rest extends "" ? true : IsToolName<Rest> : false
  : false

/** Checks the type of a specification, and keeps its literal types. */
export const specify = <const Name extends string, Parameters extends ParameterSchema, Result extends JsonCodec>(
  specification: ToolSpecification<Name, Parameters, Result>
): ToolSpecification<Name, Parameters, Result> => specification

/** Returns the time limit of a tool, in ms. */
export const timeoutMs = (specification: ToolSpecification): number => specification.credits === 20 ? 30_000 : 10_000

/** The JSON type of a tool's arguments. */
export type ArgumentsOf<S extends ToolSpecification> = S["parameters"]["Encoded"]

/** The JSON type of a tool's result. */
export type ResultOf<S extends ToolSpecification> = S["result"]["Encoded"]
