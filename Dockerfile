# The service, and the command patchbay. docs/install.md says how to run it.

FROM node:24.21.0-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts
RUN npm run build
# Once more, with the same lock file: only what the command needs when it runs.
RUN npm ci --ignore-scripts --omit=dev --workspace @patchbay/cli
RUN mkdir /app && cp -R --parents node_modules package.json packages/*/package.json packages/*/dist /app

FROM node:24.21.0-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
# The keys and the credentials of the first application are written beside the folder of the database: what
# is to be kept is the folder around all of them.
ENV PATCHBAY_DATA=/var/lib/patchbay/data
RUN mkdir -m 700 /var/lib/patchbay && chown node:node /var/lib/patchbay
COPY --from=build /app /app
ENV PATH=/app/node_modules/.bin:$PATH
WORKDIR /app
USER node
VOLUME /var/lib/patchbay
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node.js itself is process 1, so that SIGTERM reaches it: calls under way end, then it does.
ENTRYPOINT ["node", "/app/packages/cli/dist/main.js"]
CMD ["start"]
