import type { Language } from "@tapeline/core/specifications"
import type { LucideIcon } from "lucide-react"
import type { ComponentType } from "react"
import type { ParamsOf } from "../router/route.ts"

/** A page's name in every language. */
export type Name = Readonly<Record<Language, string>>

/** Where the navigation lists a page: among what is worked with, or what belongs to the account. */
interface Place {
  readonly group: "work" | "account"
  readonly icon: LucideIcon
}

/** A page, as the frame knows it before it is loaded. */
export interface Page {
  /** Its path below `/app`; a segment such as `:name` varies. */
  readonly path: string
  readonly name: Name
  /** Left out of a page that others lead to. */
  readonly place?: Place
  /** True for a page that is also there for whoever is not signed in. */
  readonly open?: boolean
  readonly load: () => Promise<ComponentType<{ readonly params: Readonly<Record<string, string>> }>>
}

/** Defines a page; its component is given what the segments of its path are. */
export const page = <const Path extends string>(
  definition: Omit<Page, "path" | "load"> & {
    readonly path: Path
    readonly load: () => Promise<ComponentType<{ readonly params: ParamsOf<Path> }>>
  }
): Page =>
  // The router gives a page just the segments that its own path names, which the list of all pages does not know.
  definition as unknown as Page
