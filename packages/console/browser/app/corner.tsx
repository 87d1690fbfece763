import type { ReactNode } from "react"
import { AccountMenu } from "./AccountMenu.tsx"
import { Bell } from "./bell/Bell.tsx"
import { Credits } from "./Credits.tsx"

/** What stands in the corner of every page, from the left to the right: a line each. */
export const corner: ReadonlyArray<{ readonly id: string; readonly item: ReactNode }> = [
  { id: "credits", item: <Credits /> },
  { id: "bell", item: <Bell /> },
  { id: "account", item: <AccountMenu /> }
]
