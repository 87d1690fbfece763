import { Suspense, useEffect, useMemo } from "react"
import { useAccess } from "../access/Access.tsx"
import { useAdminToken } from "../access/adminToken.ts"
import { useLanguage } from "../i18n/LanguageProvider.tsx"
import { useTexts } from "../i18n/texts.ts"
import { homePath } from "../pages/homePath.ts"
import { pages } from "../pages/index.ts"
import { openHomePage } from "../pages/openHomePage.ts"
import { signIn } from "../pages/signIn/page.ts"
import { deferComponent } from "../router/deferComponent.ts"
import { useLocation } from "../router/location.ts"
import { pageLoader } from "../router/PageLoader.ts"
import { matchPath } from "../router/route.ts"
import { Link } from "../widgets/layout.tsx"
import { EmptyState, Skeleton } from "../widgets/states.tsx"
import { DocumentTitle } from "./DocumentTitle.tsx"
import { headerItems } from "./headerItems.tsx"
import { PageErrorBoundary } from "./PageErrorBoundary.tsx"
import { PlainFrame } from "./PlainFrame.tsx"
import { type NavigationPage, Shell } from "./Shell.tsx"
import { frameTexts } from "./texts.ts"

/** The React component of each page, shared by pages with equal `load` functions. */
const components = new Map(pages.map(({ load, path }) => [load, deferComponent(path, load)]))

const navigationPages = pages.flatMap(({ name, path, place }): ReadonlyArray<NavigationPage> =>
  place === undefined ? [] : [{ name, path, place }]
)

const SignIn = components.get(signIn.load)!.Component

const findPage = (path: string) => {
  for (const page of pages) {
    const params = matchPath(page.path, path)
    if (params !== undefined) return { page, params, ...components.get(page.load)! }
  }
  return undefined
}

/** Loads the script of the page at a path before the page opens. */
export const preloadPage = async (path: string): Promise<void> => findPage(path)?.preload()

const UnknownPage = () => {
  const texts = useTexts(frameTexts)
  return (
    <EmptyState isPage title={texts.unknown} action={<Link href={homePath}>{texts.home}</Link>}>
      {texts.unknownDetail}
    </EmptyState>
  )
}

export const Pages = () => {
  const { credentials } = useAccess()
  // A page with a pasted API key or admin token is never reloaded, because a reload would lose the pasted text.
  const hasAdminToken = useAdminToken() !== undefined
  const canReload = credentials.kind !== "key" && !hasAdminToken
  const { path } = useLocation()
  const { language } = useLanguage()
  const match = useMemo(() => findPage(path), [path])
  useEffect(() => {
    if (match !== undefined && canReload) pageLoader.onNavigate(match.page.path)
  }, [match, canReload])
  const isRoot = path === "/" && match === undefined
  useEffect(() => {
    if (isRoot && credentials.kind !== "nothing") openHomePage("/")
  }, [isRoot, credentials.kind])
  const content = (
    <PageErrorBoundary key={path} canReload={canReload}>
      <DocumentTitle title={match === undefined ? "Tapeline" : `${match.page.name[language]} · Tapeline`} />
      <Suspense fallback={<Skeleton lines={6} />}>
        {match === undefined ? !isRoot && <UnknownPage /> : <match.Component params={match.params} />}
      </Suspense>
    </PageErrorBoundary>
  )
  if (match?.page.open === true) return <PlainFrame>{content}</PlainFrame>
  if (credentials.kind === "nothing") {
    return (
      <PlainFrame>
        <Suspense fallback={null}>
          <SignIn params={{}} />
        </Suspense>
      </PlainFrame>
    )
  }
  return <Shell currentPath={path} pages={navigationPages} headerItems={headerItems}>{content}</Shell>
}
