# The program alone, run by a user without rights. Mount a volume at /data that
# this user may write.
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -o /quire ./cmd/quire && mkdir -m 700 /data

FROM scratch
COPY --from=build /quire /quire
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532
ENV SERVICE_STORAGE_LOCAL_DIRECTORY=/data
EXPOSE 8080
ENTRYPOINT ["/quire"]
CMD ["serve"]
