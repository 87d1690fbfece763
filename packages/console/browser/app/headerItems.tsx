import type { ReactNode } from "react"
import { AccountMenu } from "./AccountMenu.tsx"
import { AdminLink } from "./AdminLink.tsx"
import { CreditsLeft } from "./CreditsLeft.tsx"
import { NotificationPanel } from "./notifications/NotificationPanel.tsx"

export const headerItems: ReadonlyArray<{ readonly id: string; readonly item: ReactNode }> = [
  { id: "administration", item: <AdminLink /> },
  { id: "credits", item: <CreditsLeft /> },
  { id: "bell", item: <NotificationPanel /> },
  { id: "account", item: <AccountMenu /> }
]
