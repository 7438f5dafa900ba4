/** Serving takes two fifths of all modules: they are loaded on first use, so that other commands start fast. */
function defer<Args extends unknown[], Result>(
  load: () => Promise<(...args: Args) => Promise<Result>>,
): (...args: Args) => Promise<Result> {
  return async (...args) => (await load())(...args);
}

const loadCheck = () => import('./check-model.ts');
const loadTests = () => import('../lifecycle/provider-test.ts');
const loadFeed = () => import('../feed/operate-feed.ts');
const loadReplay = () => import('../replay/replay.ts');
const loadVideos = () => import('./video-commands.ts');

export const launch = defer(async () => (await import('../lifecycle/launch.ts')).launch);
export const listTestableProviders = defer(async () => (await loadTests()).listTestableProviders);
export const testProviders = defer(async () => (await loadTests()).testProviders);
export const testOwnProvider = defer(async () => (await loadTests()).testOwnProvider);
export const explainRoute = defer(async () => (await import('./explain-route.ts')).explainRoute);
export const findModelFault = defer(async () => (await loadCheck()).findModelFault);
export const isAnswering = defer(async () => (await loadCheck()).isAnswering);
export const cancelVideo = defer(async () => (await loadVideos()).cancelVideo);
export const readRequestedRoute = defer(
  async () => (await import('./requested-route.ts')).readRequestedRoute,
);
export const listVideos = defer(async () => (await loadVideos()).listVideos);
export const planReplay = defer(async () => (await loadReplay()).planReplay);
export const removeVideoWebhook = defer(async () => (await loadVideos()).removeVideoWebhook);
export const runReplay = defer(async () => (await loadReplay()).runReplay);
export const setVideoWebhook = defer(async () => (await loadVideos()).setVideoWebhook);
export const compareFeed = defer(async () => (await loadFeed()).compareFeed);
export const updateFeed = defer(async () => (await loadFeed()).updateFeed);
export const reconcileProvider = defer(
  async () => (await import('../reconcile/reconcile-provider.ts')).reconcileProvider,
);
