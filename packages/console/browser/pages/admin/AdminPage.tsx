import { LogOut } from "lucide-react"
import { adminPath } from "../../access/adminPath.ts"
import { adminToken, useAdminToken } from "../../access/adminToken.ts"
import { DocumentTitle } from "../../app/DocumentTitle.tsx"
import { PageErrorBoundary } from "../../app/PageErrorBoundary.tsx"
import { PlainFrame } from "../../app/PlainFrame.tsx"
import { Settings } from "../../app/Settings.tsx"
import { Shell } from "../../app/Shell.tsx"
import { frameTexts } from "../../app/texts.ts"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { Badge, Link } from "../../widgets/layout.tsx"
import { EmptyState } from "../../widgets/states.tsx"
import { AdminAccessProvider } from "./adminAccess.tsx"
import { adminNavigation, findAdminView } from "./adminPages.ts"
import { AdminSignIn } from "./AdminSignIn.tsx"
import { adminTexts } from "./texts.ts"

const SignOutButton = () => {
  const texts = useTexts(adminTexts)
  return (
    <Button variant="quiet" isSquare aria-label={texts.forget} onPress={adminToken.forget}>
      <LogOut aria-hidden />
    </Button>
  )
}

const AdminBadge = () => <Badge variant="tape">{useTexts(frameTexts).administration}</Badge>

const headerItems = [
  { id: "badge", item: <AdminBadge /> },
  { id: "settings", item: <Settings /> },
  { id: "sign out", item: <SignOutButton /> }
]

const UnknownView = () => {
  const texts = useTexts(frameTexts)
  const admin = useTexts(adminTexts)
  return (
    <EmptyState isPage title={texts.unknown} action={<Link href={adminPath}>{admin.toAccounts}</Link>}>
      {texts.unknownDetail}
    </EmptyState>
  )
}

/** The admin area: the sign-in with an admin token, or the view of the path. */
export const AdminPage = () => {
  const held = useAdminToken()
  const { path } = useLocation()
  const { language } = useLanguage()
  const texts = useTexts(frameTexts)
  if (held === undefined) {
    return (
      <PlainFrame>
        <DocumentTitle title={`${texts.administration} · Tapeline`} />
        <AdminSignIn />
      </PlainFrame>
    )
  }
  const view = findAdminView(path)
  const name = adminNavigation.find(({ path }) => path === view?.section)?.name[language] ?? texts.administration
  return (
    <AdminAccessProvider key={held.signIn} held={held}>
      <Shell currentPath={view?.section ?? path} pages={adminNavigation} headerItems={headerItems}>
        <PageErrorBoundary key={path} canReload={false}>
          <DocumentTitle title={`${name} · Tapeline`} />
          {view === undefined ? <UnknownView /> : <view.Component params={view.params} />}
        </PageErrorBoundary>
      </Shell>
    </AdminAccessProvider>
  )
}
