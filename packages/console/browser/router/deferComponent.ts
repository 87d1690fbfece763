import { type ComponentType, createElement, lazy } from "react"
import { pageLoader } from "./PageLoader.ts"

export interface DeferredComponent<Props> {
  /** Loads the script of the component, so that the component does not suspend. */
  readonly preload: () => Promise<void>
  /** The component, which suspends while its script is loaded. */
  readonly Component: ComponentType<Props>
}

/** Returns a component of `page` whose script is loaded at the first use. */
export const deferComponent = <Props extends object>(
  page: string,
  load: () => Promise<ComponentType<Props>>
): DeferredComponent<Props> => {
  const lazyComponent: ComponentType<Props> = lazy(async () => ({ default: await pageLoader.load(page, load) }))
  let component: ComponentType<Props> | undefined
  return {
    preload: async () => {
      const loaded = await pageLoader.preload(page, load)
      component ??= loaded
    },
    Component: (props: Props) => {
      // Later renders use the same component, even if its script is loaded meanwhile.
      component ??= lazyComponent
      return createElement(component, props)
    }
  }
}
