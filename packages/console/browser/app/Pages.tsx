import { type ComponentType, lazy, Suspense, useEffect, useMemo } from "react"
import { useAccess } from "../access/Access.tsx"
import { useLanguage } from "../i18n/LanguageProvider.tsx"
import { useTexts } from "../i18n/texts.ts"
import { homePath } from "../pages/homePath.ts"
import { pages } from "../pages/index.ts"
import { openHomePage } from "../pages/openHomePage.ts"
import type { Page } from "../pages/page.ts"
import { signIn } from "../pages/signIn/page.ts"
import { useLocation } from "../router/location.ts"
import { pageLoader } from "../router/PageLoader.ts"
import { matchPath } from "../router/route.ts"
import { Link } from "../widgets/layout.tsx"
import { EmptyState, Skeleton } from "../widgets/states.tsx"
import { PageErrorBoundary } from "./PageErrorBoundary.tsx"
import { PlainFrame } from "./PlainFrame.tsx"
import { Shell } from "./Shell.tsx"
import { frameTexts } from "./texts.ts"

type PageComponent = ComponentType<{ readonly params: Readonly<Record<string, string>> }>

/** The React component of each page, loaded at the first visit and shared by pages with equal `load` functions. */
const components = new Map<Page["load"], PageComponent>(
  pages.map(({ load, path }) => [load, lazy(async () => ({ default: await pageLoader.load(path, load) }))])
)

const SignIn = components.get(signIn.load)!

const findPage = (path: string) => {
  for (const page of pages) {
    const params = matchPath(page.path, path)
    if (params !== undefined) return { page, params, component: components.get(page.load)! }
  }
  return undefined
}

const UnknownPage = () => {
  const texts = useTexts(frameTexts)
  return (
    <EmptyState isPage title={texts.unknown} action={<Link href={homePath}>{texts.home}</Link>}>
      {texts.unknownDetail}
    </EmptyState>
  )
}

const DocumentTitle = ({ title }: { readonly title: string }) => {
  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(() => {
    // In some browsers, `scrollTo` returns a promise, which an effect must not return.
    scrollTo(0, 0)
  }, [])
  return null
}

export const Pages = () => {
  const { credentials } = useAccess()
  const { path } = useLocation()
  const { language } = useLanguage()
  const match = useMemo(() => findPage(path), [path])
  useEffect(() => {
    // A page with a pasted API key is never reloaded, because a reload would lose the pasted key.
    if (match !== undefined && credentials.kind !== "key") pageLoader.onNavigate(match.page.path)
  }, [match, credentials.kind])
  const isRoot = path === "/" && match === undefined
  useEffect(() => {
    if (isRoot && credentials.kind !== "nothing") openHomePage("/")
  }, [isRoot, credentials.kind])
  const content = (
    <PageErrorBoundary key={path}>
      <DocumentTitle title={match === undefined ? "Tapeline" : `${match.page.name[language]} · Tapeline`} />
      <Suspense fallback={<Skeleton lines={6} />}>
        {match === undefined ? !isRoot && <UnknownPage /> : <match.component params={match.params} />}
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
  return <Shell currentPath={path}>{content}</Shell>
}
