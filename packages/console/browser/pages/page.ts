import type { Language } from "@tapeline/core/specifications"
import type { LucideIcon } from "lucide-react"
import type { ComponentType } from "react"
import type { ParamsOf } from "../router/route.ts"

export type LocalizedName = Readonly<Record<Language, string>>

interface NavigationPlace {
  readonly group: "work" | "account"
  readonly icon: LucideIcon
}

/** The definition of a console page, whose code is loaded later by `load`. */
export interface Page {
  /** The path of the page below `/app`. A segment such as `:name` is a parameter. */
  readonly path: string
  readonly name: LocalizedName
  /** The position of the page in the navigation. If undefined, the navigation does not list the page. */
  readonly place?: NavigationPlace
  /** Whether visitors can open the page without a sign-in. */
  readonly open?: boolean
  readonly load: () => Promise<ComponentType<{ readonly params: Readonly<Record<string, string>> }>>
}

export const definePage = <const Path extends string>(
  definition: Omit<Page, "path" | "load"> & {
    readonly path: Path
    readonly load: () => Promise<ComponentType<{ readonly params: ParamsOf<Path> }>>
  }
): Page =>
  // The cast is safe because the router passes exactly the parameters of the page's path, which the type `Page` cannot
  // express.
  definition as unknown as Page
