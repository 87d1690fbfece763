import { Activity, ChartColumn, ScrollText, Users } from "lucide-react"
import type { ComponentType } from "react"
import type { NavigationPage } from "../../app/Shell.tsx"
import { matchPath } from "../../router/route.ts"
import { AccountPage } from "./AccountPage.tsx"
import { AccountsPage } from "./AccountsPage.tsx"
import { AdminUsagePage } from "./AdminUsagePage.tsx"
import { EventsPage } from "./EventsPage.tsx"
import { HealthPage } from "./HealthPage.tsx"

export const adminNavigation: ReadonlyArray<NavigationPage> = [
  {
    path: "/admin/accounts",
    name: { en: "Accounts", ko: "계정", ru: "Аккаунты" },
    place: { group: "work", icon: Users }
  },
  {
    path: "/admin/usage",
    name: { en: "Usage", ko: "사용량", ru: "Использование" },
    place: { group: "work", icon: ChartColumn }
  },
  {
    path: "/admin/events",
    name: { en: "Audit log", ko: "감사 로그", ru: "Журнал аудита" },
    place: { group: "work", icon: ScrollText }
  },
  {
    path: "/admin/health",
    name: { en: "Health", ko: "서비스 상태", ru: "Состояние" },
    place: { group: "work", icon: Activity }
  }
]

export interface AdminView {
  /** The path in the navigation to which the view belongs. */
  readonly section: string
  readonly Component: ComponentType<{ readonly params: Readonly<Record<string, string>> }>
}

const views: ReadonlyArray<readonly [path: string, view: AdminView]> = [
  ["/admin", { section: "/admin/accounts", Component: AccountsPage }],
  ["/admin/accounts", { section: "/admin/accounts", Component: AccountsPage }],
  ["/admin/accounts/:id", { section: "/admin/accounts", Component: AccountPage }],
  ["/admin/usage", { section: "/admin/usage", Component: AdminUsagePage }],
  ["/admin/events", { section: "/admin/events", Component: EventsPage }],
  ["/admin/health", { section: "/admin/health", Component: HealthPage }]
]

/** Returns the view of a path with the parameters of the path; undefined for an unknown path. */
export const findAdminView = (
  path: string
): AdminView & { readonly params: Readonly<Record<string, string>> } | undefined => {
  for (const [pattern, view] of views) {
    const params = matchPath(pattern, path)
    if (params !== undefined) return { ...view, params }
  }
  return undefined
}
