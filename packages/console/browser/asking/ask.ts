import type { Client, ToolAnswer } from "@tapeline/client"

/** A tool call whose result a part of a page shows. Each call is charged. */
export interface Ask<Data = unknown> {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** How long the result counts as fresh, in ms. A part that is opened again within this time sends no request. */
  readonly freshMs: number
  readonly run: (client: Client, options: { readonly timeout_ms: number }) => Promise<ToolAnswer<string, Data>>
}

type Tools = Client["tools"]

/** The type of a tool's result. */
export type DataOf<Name extends keyof Tools> = Awaited<ReturnType<Tools[Name]>>["data"]
