import type { Language } from "@tapeline/core/specifications"
import type { LucideIcon } from "lucide-react"
import type { ComponentType } from "react"
import type { ParamsOf } from "../router/route.ts"

/** A page's name in every language. */
export type LocalizedName = Readonly<Record<Language, string>>

/** The place of a page in the navigation: among the tools of work, or in the account group. */
interface NavigationPlace {
  readonly group: "work" | "account"
  readonly icon: LucideIcon
}

/** The definition of a page, which is known before the page is loaded. */
export interface Page {
  /** The path below `/app`. A segment such as `:name` is a parameter. */
  readonly path: string
  readonly name: LocalizedName
  /** Undefined for a page that only other pages link to. */
  readonly place?: NavigationPlace
  /** True for a page that needs no sign-in. */
  readonly open?: boolean
  readonly load: () => Promise<ComponentType<{ readonly params: Readonly<Record<string, string>> }>>
}

/** Defines a page. Its component receives the parameters of the path. */
export const definePage = <const Path extends string>(
  definition: Omit<Page, "path" | "load"> & {
    readonly path: Path
    readonly load: () => Promise<ComponentType<{ readonly params: ParamsOf<Path> }>>
  }
): Page =>
  // The router passes exactly the parameters of the page's own path, which the type of the list cannot express.
  definition as unknown as Page
