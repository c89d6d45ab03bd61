# An image with only the program, run by an unprivileged user. Mount a volume at
# /data that this user (65532) may write to.

# The full version, because the compiler determines the bytes of the program.
FROM golang:1.26.8 AS build
WORKDIR /src
# Modules are fetched again only when they change.
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -o /quire ./cmd/quire && mkdir -m 700 /data

FROM scratch
COPY --from=build /quire /quire
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chown=65532:65532 /data /data
LABEL org.opencontainers.image.title="quire"
LABEL org.opencontainers.image.description="Search engine in one program"
LABEL org.opencontainers.image.licenses="Apache-2.0"
USER 65532:65532
ENV SERVICE_STORAGE_LOCAL_DIRECTORY=/data
EXPOSE 8080
ENTRYPOINT ["/quire"]
CMD ["serve"]
