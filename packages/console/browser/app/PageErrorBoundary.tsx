import { CloudOff, TriangleAlert } from "lucide-react"
import { Component, type ReactNode, useEffect } from "react"
import { useTexts } from "../i18n/texts.ts"
import { useIsOnline } from "../requests/connectivity.ts"
import { pageLoader, PageLoadError } from "../router/PageLoader.ts"
import { Button } from "../widgets/Button.tsx"
import { EmptyState } from "../widgets/states.tsx"
import { widgetTexts } from "../widgets/texts.ts"
import { frameTexts } from "./texts.ts"

const PageFailure = () => {
  const texts = useTexts(frameTexts)
  return (
    <EmptyState
      isPage
      icon={TriangleAlert}
      title={texts.pageFailed}
      action={<Button onPress={() => location.reload()}>{texts.reload}</Button>}
    >
      {texts.pageFailedDetail}
    </EmptyState>
  )
}

/**
 * Offers a reload if a script of the console could not be loaded. A page with a pasted API key or admin token does not
 * reload automatically, because a reload would lose the pasted text.
 */
const LoadFailure = ({ canReload }: { readonly canReload: boolean }) => {
  const texts = useTexts(frameTexts)
  const general = useTexts(widgetTexts)
  const isOnline = useIsOnline()
  useEffect(() => canReload ? pageLoader.reloadWhenOnline() : undefined, [canReload])
  return (
    <EmptyState
      isPage
      icon={CloudOff}
      title={isOnline ? texts.loadFailed : general.offline}
      action={<Button onPress={() => pageLoader.reload()}>{texts.reload}</Button>}
    >
      {isOnline ? texts.loadFailedDetail : canReload ? general.offlineDetail : texts.loadFailedDetail}
      {!canReload && ` ${texts.loadFailedKey}`}
    </EmptyState>
  )
}

interface ErrorBoundaryState {
  readonly failedStep: "load" | "render" | undefined
}

interface ErrorBoundaryProps {
  readonly children: ReactNode
  readonly canReload: boolean
}

export class PageErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failedStep: undefined }

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { failedStep: error instanceof PageLoadError ? "load" : "render" }
  }

  override render() {
    const { failedStep } = this.state
    if (failedStep === undefined) return this.props.children
    return failedStep === "load" ? <LoadFailure canReload={this.props.canReload} /> : <PageFailure />
  }
}
