import type { Client, ToolAnswer } from "@tapeline/client"

/** A call of a tool whose answer a part of a page shows. It is paid for each time that it is made. */
export interface Ask<Data = unknown> {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** So many ms the answer counts as new: what is opened again within them is not asked again. */
  readonly freshMs: number
  readonly run: (client: Client, options: { readonly timeout_ms: number }) => Promise<ToolAnswer<string, Data>>
}

type Tools = Client["tools"]

/** What a tool answers, as a page has it. */
export type DataOf<Name extends keyof Tools> = Awaited<ReturnType<Tools[Name]>>["data"]
